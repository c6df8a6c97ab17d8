"""The replay of one trace: levels between two entries follow from the end and from what happened since.

Formulas of evidence_formats 2.3. Entries of `alloc` and `free_*` carry the bytes that were asked for, so
their replay is `requested_bytes`; segments carry what the driver gave, so theirs is `reserved_bytes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, compress, islice
from operator import eq, mul

from fiche.importers._snapshot_columns import (
    ALLOC,
    FREE_COMPLETED,
    FREE_REQUESTED,
    GROWN,
    NO_TIME,
    SHRUNK,
    Columns,
)
from fiche.kernel.record import record

MOST_POINTS = 600
_FEW = 16


@record
class Level:
    """One level over the window, in bytes from its start: `net` at the end, `high` at entry `at`.

    `at` is -1 where the level never rose above its start. `points` are the maxima of equal stretches
    of entries, `steps` entries each.
    """

    net: int
    high: int
    low: int
    at: int
    points: tuple[int, ...]
    step: int


@record
class Replay:
    """The three levels of one device's window."""

    reserved: Level
    requested: Level
    allocated: Level


def replay(trace: Columns) -> Replay:
    """Walk a trace once a level."""
    requested = _level(trace, (ALLOC,), (FREE_COMPLETED,))
    return Replay(
        reserved=_level(trace, GROWN, SHRUNK),
        requested=requested,
        allocated=requested
        if _freed_at_once(trace)
        else _level(trace, (ALLOC,), (FREE_REQUESTED,)),
    )


def _freed_at_once(trace: Columns) -> bool:
    """True where each request to free is completed by the next entry: then both levels move alike."""
    codes = bytes(trace.codes)
    pair = codes.count(bytes((FREE_REQUESTED, FREE_COMPLETED)))
    if not pair == codes.count(FREE_REQUESTED) == codes.count(FREE_COMPLETED):
        return False
    asked, done = (
        compress(trace.counts, selected(codes, code)) for code in (FREE_REQUESTED, FREE_COMPLETED)
    )
    return all(map(eq, asked, done))


def selected(codes: bytes, *wanted: int) -> bytes:
    """A byte an entry: 1 where its code is one of `wanted`."""
    return codes.translate(bytes(code in wanted for code in range(256)))


def _level(trace: Columns, up: Sequence[int], down: Sequence[int]) -> Level:
    codes = bytes(trace.codes)
    step = max(1, -(-len(codes) // MOST_POINTS))
    chosen = selected(codes, *up, *down)
    if chosen.count(1) * _FEW < len(codes):
        return _sparse(trace, chosen, frozenset(up), step)
    signs = memoryview(codes.translate(_signs(up, down))).cast("b")
    levels = accumulate(map(mul, signs, trace.counts))
    high, low, at, net, points = 0, 0, -1, 0, []
    for place, part in enumerate(_parts(levels, step)):
        top = max(part)
        points.append(top)
        if top > high:
            high, at = top, place * step + part.index(top)
        low = min(low, min(part))
        net = part[-1]
    return Level(net=net, high=high, low=low, at=at, points=tuple(points), step=step)


def _signs(up: Sequence[int], down: Sequence[int]) -> bytes:
    return bytes(1 if code in up else 255 if code in down else 0 for code in range(256))


def _sparse(trace: Columns, chosen: bytes, up: frozenset[int], step: int) -> Level:
    """The same for a level that few entries move: between two of them it stays where it was."""
    high, low, at, net = 0, 0, -1, 0
    points: list[int] = []
    for place in compress(range(len(chosen)), chosen):
        while len(points) <= place // step:
            points.append(net)
        net += trace.counts[place] if trace.codes[place] in up else -trace.counts[place]
        points[-1] = max(points[-1], net)
        if net > high:
            high, at = net, place
        low = min(low, net)
    points += [net] * (-(-len(chosen) // step) - len(points))
    return Level(net=net, high=high, low=low, at=at, points=tuple(points), step=step)


def _parts(levels: Iterator[int], step: int) -> Iterator[list[int]]:
    while part := [*islice(levels, step)]:
        yield part


def instant(trace: Columns, at: int) -> int | None:
    """Microseconds since the first entry; None where entries bear no time."""
    if not len(trace) or trace.times[0] == NO_TIME or trace.times[max(at, 0)] == NO_TIME:
        return None
    return trace.times[max(at, 0)] - trace.times[0]
