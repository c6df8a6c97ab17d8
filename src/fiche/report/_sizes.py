"""Runs of one workload that differ in their dimensions alone, with the peak of each (E1, C11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fiche.kernel.figure import Figure
from fiche.kernel.piece import Observation, Piece, Run
from fiche.kernel.readings import observation_id, observed
from fiche.kernel.record import record

# What tells one workload from another among runs; their dimensions may differ.
_SAME = (
    "gpu",
    "model.name",
    "model.revision",
    "operation",
    "engine.name",
    "engine.version",
    "formats.storage",
    "formats.compute",
    "formats.cache",
)
_COUNTERS = (("process_device_used", "process"), ("reserved", "process_allocator"))


@record
class Point:
    """A run at a size; `peak` is None where it failed."""

    piece: Piece
    run: Run
    sizes: Mapping[str, Figure]
    peak: Figure | None


def groups(pieces: Sequence[Piece]) -> list[list[Point]]:
    """Points that may stand in one picture, in the order of the pieces."""
    found: dict[object, list[Point]] = {}
    for piece in pieces:
        for run in piece.reading.runs:
            point = _point(piece, run)
            if point is not None:
                found.setdefault(_key(piece, run, point), []).append(point)
    return list(found.values())


def _key(piece: Piece, run: Run, point: Point) -> object:
    facts = {**piece.typed, **run.facts}
    same = tuple(facts[path].value if path in facts else "" for path in _SAME)
    return (*same, run.whole_loop, () if run.whole_loop else run.phases, tuple(sorted(point.sizes)))


def _point(piece: Piece, run: Run) -> Point | None:
    """A later pass repeats its first one; a run without dimensions has no place."""
    sizes = {**piece.typed_dimensions, **(run.executed or run.declared)}
    if not sizes or not (run.whole_loop or run.first_pass or run.outcome != "success"):
        return None
    if run.outcome != "success":
        return Point(piece=piece, run=run, sizes=sizes, peak=None)
    if run.whole_loop and not run.first_pass:
        return None
    peaks = [_peak(piece, run, counter) for counter in _COUNTERS]
    peak = next((found for found in peaks if found is not None), None)
    return None if peak is None else Point(piece=piece, run=run, sizes=sizes, peak=peak)


def _peak(piece: Piece, run: Run, counter: tuple[str, str]) -> Figure | None:
    """The highest peak of a counter over the run's devices."""
    read = [
        observed(seen, observation_id(piece.id, run.id, place))
        for place, seen in enumerate(run.observations, 1)
        if _is(seen, counter)
    ]
    found = [figure for figure in read if figure is not None]
    return max(found, key=lambda figure: figure.low, default=None)


def _is(seen: Observation, counter: tuple[str, str]) -> bool:
    return counter[0] in seen.counter and seen.scope == counter[1] and seen.stat == "peak"


def axis_of(points: Sequence[Point]) -> str:
    """The dimension with most different sizes; empty where fewer than two runs that succeeded differ."""
    told = [point for point in points if point.peak is not None]
    if len(told) < 2:
        return ""
    sizes = {name: {point.sizes[name].low for point in told} for name in told[0].sizes}
    most = max(sizes, key=lambda name: len(sizes[name]))
    return most if len(sizes[most]) > 1 else ""
