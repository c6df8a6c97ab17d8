"""What the schema of a simulation cannot say: figures that contradict each other are none (F585 to F588)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fiche.importers._record_json import Fault
from fiche.importers._record_places import Form

_Path = tuple[str | int, ...]
# The caching allocator rounds every request to it (c10/cuda/CUDACachingAllocator: kMinBlockSize).
_ROOM = 512
_COUNTERS = ("allocated_bytes", "reserved_bytes")


def faults(found: Form) -> Iterator[Fault]:
    """Everything that cannot all be true in one document, each with its place."""
    document = found.document
    for place, phase in enumerate(document["phases"]):
        yield from _levels(phase, ("phases", place))
        yield from _live(phase, ("phases", place, "at_peak"))
    yield from _twice(document["phases"])
    yield from _peak(document["peak"], document["phases"])
    yield from _bounds(document["uncovered"])
    yield from _window(document["timeline"], document["phases"])


def _levels(phase: dict[str, Any], path: _Path) -> Iterator[Fault]:
    hint = "every level of one counter is in bytes, and its peak the largest of them"
    for counter in _COUNTERS:
        levels = phase[counter]
        if levels is None:
            continue
        for key in ("start", "end"):
            if levels[key] > levels["peak"]:
                message = f"the level at the {key} is above the peak of {levels['peak']} B"
                yield Fault("F585", (*path, counter, key), message, hint)
    for key, level in phase["allocated_bytes"].items():
        if level % _ROOM:
            message = (
                f"{level} B is no multiple of {_ROOM} B, as all that an allocator gives out is"
            )
            yield Fault("F585", (*path, "allocated_bytes", key), message, hint)
    reserved = phase["reserved_bytes"]
    if reserved is not None and reserved["peak"] < phase["allocated_bytes"]["peak"]:
        message = f"reserved peaks at {reserved['peak']} B, below what is allocated then"
        more = "an allocator never holds less than it gave out"
        yield Fault("F585", (*path, "reserved_bytes", "peak"), message, more)


def _live(phase: dict[str, Any], path: _Path) -> Iterator[Fault]:
    """Bytes by kind make up the peak: in another unit, or cut, they do not."""
    told, peak = phase["at_peak"], phase["allocated_bytes"]["peak"]
    hint = "the kinds, each rounded as the allocator rounds it, add up to the allocated peak"
    total = sum(one["bytes"] for one in told["live"])
    if total != peak:
        message = f"the live bytes add up to {total} B, and the peak is {peak} B"
        yield Fault("F586", (*path, "live"), message, hint)
    kinds = [one["kind"] for one in told["live"]]
    for place, kind in enumerate(kinds):
        if kind in kinds[:place]:
            yield Fault("F586", (*path, "live", place), f"the kind {kind} stands twice", hint)
    for place, one in enumerate(told["largest"]):
        if one["bytes"] > peak:
            message = f"{one['bytes']} B of the live bytes are more than the peak of {peak} B"
            yield Fault("F586", (*path, "largest", place, "bytes"), message, hint)


def _twice(phases: Sequence[dict[str, Any]]) -> Iterator[Fault]:
    seen: set[tuple[int, int]] = set()
    for place, phase in enumerate(phases):
        key = (phase["order"], phase["device_index"])
        if key in seen:
            message = f"phase {key[0]} stands twice for device {key[1]}"
            yield Fault("F587", ("phases", place, "order"), message, "count phases as they ran")
        seen.add(key)


def _peak(peak: dict[str, Any], phases: Sequence[dict[str, Any]]) -> Iterator[Fault]:
    """The peak of the whole is that of the phase that it names, and no phase goes beyond.

    Where a phase has no reserved bytes, that of the whole may be untold.
    """
    hint = "`peak` repeats the largest peak of `phases`"
    named = next((p for p in phases if all(p[k] == v for k, v in _named(peak).items())), None)
    if named is None:
        yield Fault("F587", ("peak", "phase"), "the peak is of a phase that is not there", hint)
    elif named["allocated_bytes"]["peak"] != peak["allocated_bytes"]:
        message = f"the phase that it names peaks at {named['allocated_bytes']['peak']} B"
        yield Fault("F587", ("peak", "allocated_bytes"), message, hint)
    for counter in _COUNTERS:
        told = [phase[counter]["peak"] for phase in phases if phase[counter] is not None]
        most = max(told, default=None)
        untold = peak[counter] is None and len(told) < len(phases)
        if peak[counter] != most and not untold:
            message = f"{peak[counter]} B, and the largest peak of the phases is {most} B"
            yield Fault("F587", ("peak", counter), message, hint)


def _named(peak: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": peak["phase"],
        **{key: peak[key] for key in ("pass", "order", "device_index")},
    }


def _bounds(uncovered: Sequence[dict[str, Any]]) -> Iterator[Fault]:
    for place, one in enumerate(uncovered):
        low, high = one["low_bytes"], one["high_bytes"]
        if low is not None and high is not None and low > high:
            message = f"at least {low} B, at most {high} B"
            path = ("uncovered", place, "low_bytes")
            yield Fault("F585", path, message, "the lower bound is the smaller one")


def _window(told: dict[str, Any], phases: Sequence[dict[str, Any]]) -> Iterator[Fault]:
    """Points in the order of events, phases too, and no level above the peaks of their device."""
    for counter in _COUNTERS:
        key = counter.removesuffix("_bytes")
        tops = [
            phase[counter]["peak"]
            for phase in phases
            if phase[counter] is not None and phase["device_index"] == told["device_index"]
        ]
        yield from _curve(told[key], ("timeline", key), max(tops, default=None))
    last = -1
    for place, one in enumerate(told["phases"]):
        if one["from_event"] > one["to_event"]:
            path = ("timeline", "phases", place, "to_event")
            yield Fault("F588", path, "a phase ends before it begins", _ORDER)
        if one["from_event"] < last and place:
            path = ("timeline", "phases", place, "from_event")
            yield Fault("F588", path, "phases are not in the order of their events", _ORDER)
        last = one["from_event"]


_ORDER = "a timeline counts the events of one device upwards"


def _curve(points: Sequence[Sequence[int]], path: _Path, top: int | None) -> Iterator[Fault]:
    before = -1
    for place, (event, level) in enumerate(points):
        if event < before:
            message = f"event {event} comes after event {before}"
            yield Fault("F588", (*path, place), message, _ORDER)
        if top is not None and level > top:
            message = f"a level of {level} B, and no phase peaks above {top} B"
            yield Fault("F588", (*path, place), message, "levels are bytes, as the peaks are")
        before = event
