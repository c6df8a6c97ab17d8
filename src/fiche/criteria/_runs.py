"""Successful whole-loop runs that cover a question, and the ceiling their counters show (C8)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria._executed import load_of, phases_of
from fiche.criteria._scope import Question, Scope, joined, noted, scope_of, speaks_of
from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure, larger
from fiche.kernel.piece import Observation, Piece, Run
from fiche.kernel.readings import observation_id, observed
from fiche.kernel.record import record


@record
class Success:
    """One successful run against one question.

    `scope` holds why it does not cover, facts, dimensions and phases together; `ceiling` is the
    process's whole device use (None: its counters leave that open), `peaks` that of each device of
    the placement; `related` is True where it ran on the very card.
    """

    piece: str
    run: Run
    scope: Scope
    ceiling: Figure | None
    peaks: tuple[Figure | None, ...]
    related: bool
    noted: tuple[str, ...]

    @property
    def covers(self) -> bool:
        """True when scope, dimensions, phases and ordering all cover the question."""
        return self.scope.covers

    @property
    def short(self) -> tuple[str, ...]:
        """Why it does not cover."""
        return (*self.scope.short, *self.scope.contradicted)


def successes(
    piece: Piece, ask: Question, index: int, num_devices: int, ground: Inquiry
) -> Iterator[Success]:
    """Every successful whole-loop run of a piece; phased runs locate a problem and admit nothing."""
    for run in piece.reading.runs:
        if run.outcome == "success" and run.whole_loop:
            peaks = tuple(ceiling(piece, run, i, alone=ask.alone) for i in range(num_devices))
            yield Success(
                piece=piece.id,
                run=run,
                scope=joined(
                    scope_of(ask, piece, run, "memory", ground),
                    load_of(ask, piece, run, "smaller", ground),
                    phases_of(ask, piece, run, ground),
                ),
                ceiling=peaks[index],
                peaks=peaks,
                related=speaks_of(ask, piece, run, ground),
                noted=noted(ask, piece, run, "memory", ground),
            )


def ceiling(piece: Piece, run: Run, index: int, *, alone: bool) -> Figure | None:
    """Peak of the process's device use; else reserved peak plus the part outside the allocator.

    A sampled maximum is at most the true peak, so it is no ceiling. An allocated peak never is one:
    the allocator holds more than its live blocks (C3).
    """
    used = _peak(piece, run, "process_device_used", index, alone)
    if used is not None:
        return used
    reserved = _peak(piece, run, "max_memory_reserved", index, alone)
    outside = _peak(piece, run, "outside_allocator", index, alone)
    return None if reserved is None or outside is None else reserved + outside


def _peak(piece: Piece, run: Run, counter: str, index: int, alone: bool) -> Figure | None:
    """The largest peak of a counter on a device; None where several processes share the counter."""
    named = [
        (place, seen)
        for place, seen in enumerate(run.observations, 1)
        if seen.counter == counter and seen.stat == "peak"
    ]
    here = [(place, seen) for place, seen in named if _of_device(seen, named, index, alone)]
    figures = [observed(seen, observation_id(piece.id, run.id, place)) for place, seen in here]
    known = [figure for figure in figures if figure is not None]
    if not known or len({seen.rank for _, seen in here}) > 1:
        return None  # processes that share a device hold their peaks at the same time
    largest = known[0]
    for figure in known[1:]:
        largest = larger(largest, figure)
    return largest


def _of_device(
    seen: Observation, named: list[tuple[int, Observation]], index: int, alone: bool
) -> bool:
    """A reading of one device describes no other (C9); a placement of one device has only one."""
    if seen.device_index == index:
        return True
    return alone and len({other.device_index for _, other in named}) == 1
