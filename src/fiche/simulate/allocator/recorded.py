"""A recorded trace of the allocator as a stream of events, with what was recorded beside each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any

from fiche.importers._snapshot_columns import ALLOC, FREE_COMPLETED, GROWN, SHRUNK, Columns
from fiche.importers._snapshot_device import Device
from fiche.importers._snapshot_shape import DEFAULT_POOL
from fiche.importers._snapshot_streams import UNKNOWN
from fiche.importers.torch_snapshot import Opened, opened
from fiche.kernel.record import record, replace
from fiche.simulate.allocator.before import Old, Used, held_before
from fiche.simulate.allocator.settings import AllocatorSettings, SettingsError
from fiche.simulate.ledger.events import Events

_CONFIGURATIONS = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF")


@record(eq=False)
class Recorded:
    """One device's trace: `events`, and beside each its entry, its address, and the bytes reserved after it.

    `grown` is the address at which the driver gave memory for an event, 0 where it gave none. The first
    `before` events are allocations that the trace does not show: blocks of `old`, the segments of before.
    """

    device: int
    events: Events
    entries: array[int]
    addresses: array[int]
    grown: array[int]
    reserved: array[int]
    before: int
    old: tuple[Old, ...]
    end_bytes: int
    settings: AllocatorSettings
    remarks: tuple[str, ...]


def recorded(
    content: bytes, sha256: str, device: int = 0, settings: AllocatorSettings | None = None
) -> Recorded:
    """The trace of one device of a snapshot; its settings are the snapshot's own where none are given.

    Raises:
        Refused: the file is no snapshot that can be read.
        ValueError: the device has no trace, or one that cannot be followed; the words say why.
    """
    told = opened(content, sha256)
    found = next((one for one in told.devices if one.index == device), None)
    if found is None or not len(found.trace):
        raise ValueError(f"no trace was recorded for device {device}")
    if found.replay is None:
        raise ValueError(f"the trace of device {device} and its segments are not of one moment")
    # Where the driver had no more, the trace says so itself: what was released stands in it.
    settings = replace(
        settings or _settings(told.root.get("allocator_settings")), capacity_bytes=None
    )
    start = found.reserved_start(found.replay)
    walk = _Walk(found.trace, start)
    old = _old(told, found, walk)
    if sum(one.num_bytes for one in old) != start or (start and settings.expandable_segments):
        raise ValueError(
            f"{start} bytes were reserved before the trace of device {device} began, and how they lay is "
            "not recorded"
        )
    return walk.told(found, old, settings)


def _settings(told: object) -> AllocatorSettings:
    """As the process was given them; one that was made while it ran shows in the flags alone."""
    listed: Mapping[str, Any] = told if isinstance(told, dict) else {}
    texts = [listed.get(key) for key in _CONFIGURATIONS]
    text = next((text for text in texts if isinstance(text, str) and text), "")
    settings = AllocatorSettings.of(text)
    flag = listed.get("expandable_segments")
    if isinstance(flag, bool) and flag is not settings.expandable_segments:
        raise SettingsError(
            f"expandable_segments was {flag} in the end, and {text!r} set otherwise"
        )
    return settings


def _old(told: Opened, device: Device, walk: _Walk) -> list[Old]:
    segments = [one for one in told.root["segments"] if (one.get("device") or 0) == device.index]
    if any(one.get("is_expandable") is True for one in segments):
        segments = []  # a range of pages, of which the window may have mapped a part
    return held_before(segments, walk.live, walk.segments, walk.freed, walk.released)


def _remarks(device: Device, unseen: int) -> Iterator[str]:
    if unseen:
        yield (
            f"{unseen} block(s) were allocated before the trace began: where they lie is taken from the end "
            "and from their frees"
        )
    if set(device.now.pools) - {DEFAULT_POOL}:
        yield "private pools (CUDA graphs, MemPool) are in the trace, and are not modelled"
    if device.trace.unknown:
        yield "entries of unknown actions are left out"


class _Walk:
    """The trace from its first entry to its last; blocks from before it have ids below zero."""

    def __init__(self, trace: Columns, start: int) -> None:
        self.events = Events()
        self.entries, self.addresses = array("Q"), array("Q")
        self.grown, self.reserved = array("Q"), array("Q")
        self.live: dict[int, int] = {}
        self.freed: dict[int, Used] = {}
        self.segments: dict[int, int] = {}
        self.released: dict[int, tuple[int, int]] = {}
        self._trace, self._start, self._level, self._grown = trace, start, start, 0
        names, streams = trace.streams.names, trace.streams.each()
        for entry, (code, place) in enumerate(zip(bytes(trace.codes), streams, strict=True)):
            self._entry(entry, code, 0 if place == UNKNOWN else names[place])

    def _entry(self, entry: int, code: int, stream: int) -> None:
        at, num_bytes = self._trace.addresses[entry], self._trace.counts[entry]
        if code == ALLOC:
            self.live[at] = entry
            self.events.alloc(entry, num_bytes, stream)
            self._note(entry, at)
        elif code == FREE_COMPLETED:
            self._free(at, num_bytes)
            self._note(entry, at)
        elif code in GROWN:
            self._level += num_bytes
            self._grown = self._grown or at
            self.segments[at] = num_bytes
        elif code in SHRUNK:
            self._shrink(entry, at, num_bytes, stream)

    def _free(self, at: int, num_bytes: int) -> None:
        name = self.live.pop(at, None)
        if name is None:
            name = -1 - len(self.freed)
            self.freed[at] = Used(name=name, asked=num_bytes)
        self.events.free(name)

    def _shrink(self, entry: int, at: int, num_bytes: int, stream: int) -> None:
        """A run of releases is one emptying of the cache, by the program or for a request."""
        self._level -= num_bytes
        if self.segments.pop(at, None) is None:
            self.released[at] = (num_bytes, stream)
        after = self._trace.codes[entry + 1 : entry + 2]
        if not after or after[0] not in SHRUNK:
            self.events.empty_cache()
            self._note(entry, at)

    def _note(self, entry: int, at: int) -> None:
        self.entries.append(entry)
        self.addresses.append(at)
        self.grown.append(self._grown)
        self.reserved.append(self._level)
        self._grown = 0

    def told(self, device: Device, old: list[Old], settings: AllocatorSettings) -> Recorded:
        """The events, behind those that stand for what was held before."""
        events, addresses = Events(), array("Q")
        for segment in old:
            for at, used in sorted(segment.blocks.items()):
                events.alloc(used.name, used.asked, segment.stream)
                addresses.append(at)
        unseen = len(events)
        events.extend(self.events)
        none = array("Q", [0]) * unseen
        return Recorded(
            device=device.index,
            events=events,
            entries=none + self.entries,
            addresses=addresses + self.addresses,
            grown=none + self.grown,
            reserved=array("Q", [self._start]) * unseen + self.reserved,
            before=unseen,
            old=tuple(old),
            end_bytes=device.now.reserved,
            settings=settings,
            remarks=tuple(_remarks(device, unseen)),
        )
