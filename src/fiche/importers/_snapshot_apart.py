"""The replay of one device's trace by stream: memory of one stream serves no other without a wait.

The formulas are those of the whole device (evidence_formats 2.3): the level of a stream at the end, less
what its entries changed since. They hold only where each free names the stream that allocated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from operator import eq, mul

from fiche.importers._snapshot_columns import ALLOC, FREE_COMPLETED, GROWN, SHRUNK, Columns
from fiche.importers._snapshot_replay import instant, selected
from fiche.importers._snapshot_shape import Held, Now
from fiche.importers._snapshot_streams import UNKNOWN
from fiche.kernel.record import record
from fiche.kernel.said import tell

_MOST_TOLD = 50


@record(kw_only=False)
class Moved:
    """One level of one stream, in bytes from its start, as `Level` has it for the device."""

    net: int = 0
    high: int = 0
    low: int = 0
    at: int = -1


@record
class Apart:
    """Levels by stream: (reserved, requested); `odd` streams have none, nor has any where not all `named`."""

    levels: Mapping[int, tuple[Moved, Moved]]
    odd: frozenset[int]
    named: bool


def apart(trace: Columns, now: Now) -> Apart | None:
    """Walk a trace by stream; None where the device has a single one."""
    if len(now.streams) < 2 and trace.streams.only is not None:
        only = trace.streams.only
        if only == UNKNOWN or trace.streams.names[only] in now.streams or not now.streams:
            return None
    each = trace.streams.each()
    moving = selected(bytes(trace.codes), ALLOC, FREE_COMPLETED, *GROWN, *SHRUNK)
    places = {*compress(each, moving)}
    named = now.streams_told and UNKNOWN not in places
    names = trace.streams.names
    streams = {*now.streams, *(names[place] for place in places if place != UNKNOWN)}
    if len(streams) < 2:
        return None
    if not named:
        return Apart(levels={}, odd=frozenset(streams), named=False)
    reserved = _moved(trace, each, GROWN, SHRUNK)
    requested = _moved(trace, each, (ALLOC,), (FREE_COMPLETED,))
    blocks = {address: stream for address, (_, _, stream) in now.blocks.items()}
    odd = {
        *_crossed(trace, each, (ALLOC, FREE_COMPLETED), blocks),
        *_crossed(trace, each, (GROWN[0], SHRUNK[0]), now.places),
    }
    levels = {
        stream: (reserved.get(stream, Moved()), requested.get(stream, Moved()))
        for stream in streams
    }
    if any(_below_zero(now, stream, *levels[stream]) for stream in streams - odd):
        odd = streams  # whose memory it is instead cannot be told
    kept = {stream: both for stream, both in levels.items() if stream not in odd}
    return Apart(levels=kept, odd=frozenset(odd), named=True)


def _moved(trace: Columns, each: bytes, up: Sequence[int], down: Sequence[int]) -> dict[int, Moved]:
    """One walk for all streams: each level moves with its own entries only."""
    codes = bytes(trace.codes)
    chosen = selected(codes, *up, *down)
    signs = (1 if code in up else -1 for code in range(256))
    signed = map(
        mul, map((*signs,).__getitem__, compress(codes, chosen)), _of(trace.counts, chosen)
    )
    names = trace.streams.names
    levels, highs, lows, ats = ([first] * len(names) for first in (0, 0, 0, -1))
    for entry, place, change in zip(
        _of(range(len(codes)), chosen), compress(each, chosen), signed, strict=True
    ):
        level = levels[place] = levels[place] + change
        if level > highs[place]:
            highs[place], ats[place] = level, entry
        elif level < lows[place]:
            lows[place] = level
    told = zip(names, levels, highs, lows, ats, strict=True)
    return {name: Moved(*moved) for name, *moved in told}


def _of(column: Sequence[int], chosen: bytes) -> Iterator[int]:
    return compress(column, chosen)


def _crossed(
    trace: Columns, each: bytes, pair: tuple[int, int], ends: Mapping[int, int]
) -> set[int]:
    """Streams whose memory another one's entry frees, or that another one's segment holds at the end."""
    codes = bytes(trace.codes)
    chosen = selected(codes, *pair)
    addresses, places = [*compress(trace.addresses, chosen)], [*compress(each, chosen)]
    names = trace.streams.names
    last = dict(zip(addresses, places, strict=True))
    odd = set[int]()
    for address, place in last.items():
        stream = ends.get(address)
        if stream is not None and stream != names[place]:
            odd |= {stream, names[place]}
    if all(map(eq, map(last.__getitem__, addresses), places)):
        return odd
    live: dict[int, int] = {}
    for address, place, code in zip(addresses, places, compress(codes, chosen), strict=True):
        if code == pair[0]:
            live[address] = place
        elif live.get(address, place) != place:
            odd |= {names[live.pop(address)], names[place]}
        else:
            live.pop(address, None)
    return odd


def _below_zero(now: Now, stream: int, reserved: Moved, requested: Moved) -> bool:
    """A start, or a level since, that no memory can have: segments and entries do not agree."""
    held = now.streams.get(stream) or Held()
    asked = held.requested
    return held.reserved - reserved.net + reserved.low < 0 or (
        asked is not None and asked - requested.net + requested.low < 0
    )


def streams(trace: Columns, now: Now, levels: Apart | None) -> list[dict[str, object]]:
    """Each stream: what it holds at the end, and its own peaks where they are known."""
    moved = levels.levels if levels else {}
    listed = []
    for stream in sorted({*now.streams, *moved})[:_MOST_TOLD]:
        held = now.streams.get(stream) or Held()
        told: dict[str, object] = {
            "stream": stream,
            "reserved": held.reserved,
            "allocated": held.allocated,
        }
        if stream in moved:
            reserved, requested = moved[stream]
            told["reserved_peak"] = _peak(trace, held.reserved, reserved)
            told["requested_peak"] = _peak(trace, held.requested, requested)
        listed.append(told)
    return listed


def _peak(trace: Columns, end: int | None, moved: Moved) -> dict[str, int | None]:
    start = None if end is None else end - moved.net
    return {
        "start": start,
        "bytes": None if start is None else start + moved.high,
        "entry": moved.at,
        "us": instant(trace, moved.at),
    }


def left_out(device: int, levels: Apart | None) -> Iterator[str]:
    """Which streams have no peak of their own, and why."""
    if levels is None or not levels.odd:
        return
    if not levels.named:
        yield (
            tell(
                "streams_not_told: not every entry and segment of device {device} names its stream "
                "(or there are hundreds); peaks of its streams are left out",
                device=device,
            )
        )
        return
    some = sorted(levels.odd)
    listed = ", ".join(map(str, some[:8])) + (f" and {len(some) - 8} more" if some[8:] else "")
    yield (
        tell(
            "streams_disagree: entries of device {device} free or hold memory of another stream, "
            "or more than it had; peaks of stream(s) {listed} are left out",
            device=device,
            listed=listed,
        )
    )
