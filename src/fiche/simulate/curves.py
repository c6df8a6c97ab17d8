"""Levels over the events of a device: what a phase reaches, and a curve of few points for a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiche.simulate.simulation import Simulation

MOST_POINTS = 2_000
_PER_PHASE = 4
_LEAST_BUCKETS = 100


def levels_of(levels: Sequence[int], begin: int, end: int) -> dict[str, int]:
    """Level before the events `begin` to `end`, the most within them, and the level behind them; bytes."""
    start = levels[begin - 1] if begin else 0
    within = levels[begin:end]
    return {
        "start": start,
        "peak": max(start, max(within, default=0)),
        "end": within[-1] if within else start,
    }


def timeline(simulation: Simulation, reserved: Sequence[int], device: int) -> dict[str, Any]:
    """The curves of one device: [event, bytes], at most 2000 points each; every phase keeps its extremes."""
    spans = [span for span in simulation.spans if len(span.ends) > device]
    stretches = [(span.begins[device], span.ends[device]) for span in spans]
    blurred = [span.begins[device] for span in spans if "reserved_why" in span.notes]
    known = min(blurred, default=len(reserved))
    return {
        "device_index": device,
        "allocated": thinned(simulation.live(device), stretches),
        "reserved": thinned(reserved[:known], stretches),
        "phases": [
            {
                "name": span.name,
                "pass": span.passed,
                "from_event": begin,
                "to_event": max(begin, end - 1),
            }
            for span, (begin, end) in zip(spans, stretches, strict=True)
        ],
    }


def thinned(
    levels: Sequence[int], stretches: Iterable[tuple[int, int]], most: int = MOST_POINTS
) -> list[list[int]]:
    """Points of a curve: of equal stretches the least and the most, and the same of each phase."""
    count = len(levels)
    if count <= most:
        return [[event, level] for event, level in enumerate(levels)]
    kept: set[int] = {0, count - 1}
    for begin, end in stretches:
        if len(kept) + _PER_PHASE > most - 2 * _LEAST_BUCKETS:
            break
        kept.update(_extremes(levels, begin, min(end, count)))
    buckets = (most - len(kept)) // 2
    for number in range(buckets):
        kept.update(
            _lowest_and_highest(levels, number * count // buckets, (number + 1) * count // buckets)
        )
    return [[event, levels[event]] for event in sorted(kept)]


def _extremes(levels: Sequence[int], begin: int, end: int) -> set[int]:
    """First and last event of a phase, and where it is lowest and highest."""
    if begin >= end:
        return set()
    return {begin, end - 1, *_lowest_and_highest(levels, begin, end)}


def _lowest_and_highest(levels: Sequence[int], begin: int, end: int) -> tuple[int, ...]:
    if begin >= end:
        return ()
    within = levels[begin:end]
    return begin + within.index(min(within)), begin + within.index(max(within))
