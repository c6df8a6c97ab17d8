"""Successful whole-loop runs that cover a question, and the ceiling their counters show (C8)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria._executed import load_of, phases_of
from fiche.criteria._scope import Question, Scope, joined, noted, scope_of, speaks_of
from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure, Number, larger
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
                    _sound(run, peaks[index], index, alone=ask.alone),
                ),
                ceiling=peaks[index],
                peaks=peaks,
                related=speaks_of(ask, piece, run, ground),
                noted=noted(ask, piece, run, "memory", ground),
            )


_OWN = frozenset({"process_allocator", "process"})
_LEVELS = frozenset({"start", "current", "peak", "sampled_max"})
# Under this allocator a reserved peak may add two pools' peaks, and lie above what was ever held (C6).
_ADDS_PEAKS = "cudaMallocAsync"


def _sound(run: Run, ceiling: Figure | None, index: int, *, alone: bool) -> Scope:
    """An output that was checked and did not pass shows no working load (C14).

    Counters that cannot all be true contradict each other: the whole process never holds less than
    a part of it does.
    """
    wrong = run.output_check.partition(":")[0].endswith("not passed")
    most = None if ceiling is None else ceiling.high
    above = {} if most is None else _above(most, run, index, alone=alone)
    texts = [
        f"the process peaked at {most} B at most, and its {counter} was at least {low} B"
        for low, counter in sorted((low, counter) for counter, low in above.items())
    ]
    return Scope(
        differs=("its output was checked and did not pass",) if wrong else (),
        contradicted=tuple(texts[-1:]),
    )


def _above(most: Number, run: Run, index: int, *, alone: bool) -> dict[str, int]:
    """Levels of this very process on the device that are surely above what is taken for its peak."""
    only = alone and len({seen.device_index for seen in run.observations}) == 1
    allocator = run.facts.get("allocator.backend")
    adds = allocator is not None and allocator.value == _ADDS_PEAKS
    found = {}
    for seen in run.observations:
        low = None if seen.value is None or seen.value.unavailable else seen.value.low
        here = only or seen.device_index == index
        own = seen.scope in _OWN and seen.stat in _LEVELS
        bound = adds and seen.counter == "max_memory_reserved"
        if here and own and not bound and low is not None and low > most:
            found[f"{seen.counter} ({seen.stat})"] = low
    return found


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
