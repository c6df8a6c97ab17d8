"""Successful whole-loop runs that cover a question, and the ceiling their counters show (C8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fiche.criteria._scope import (
    Question,
    Scope,
    executed,
    missing_phases,
    scope_of,
    shortfalls,
    told_facts,
)
from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure, larger
from fiche.kernel.origin import Observed
from fiche.kernel.piece import Observation, Piece, Run
from fiche.kernel.unit import BYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """One successful run against one question.

    `short` lists why it does not cover; `ceiling` is the process's whole device use (None: its
    counters leave that open).
    """

    piece: str
    run: Run
    scope: Scope
    short: tuple[str, ...]
    ceiling: Figure | None
    related: bool

    @property
    def covers(self) -> bool:
        """True when scope, dimensions, phases and ordering all cover the question."""
        return self.scope.covers and not self.short


def successes(piece: Piece, ask: Question, index: int, ground: Inquiry) -> Iterator[Success]:
    """Every successful whole-loop run of a piece; phased runs locate a problem and admit nothing."""
    for run in piece.reading.runs:
        if run.outcome == "success" and run.whole_loop:
            yield _success(piece, run, ask, index, ground)


def _success(piece: Piece, run: Run, ask: Question, index: int, ground: Inquiry) -> Success:
    scope = scope_of(ask, piece, run, "memory", ground)
    short = [*scope.differs, *scope.untold, *scope.contradicted, *scope.unsigned]
    short += shortfalls(ask, executed(piece, run, ground))
    short += [f"phase {phase} was not part of the loop" for phase in missing_phases(ask, run)]
    card = told_facts(piece, run, ground).get("gpu")
    return Success(
        piece=piece.id,
        run=run,
        scope=scope,
        short=tuple(dict.fromkeys(short)),
        ceiling=ceiling(run, index),
        related=card is not None and card.value == ask.facts["gpu"],
    )


def ceiling(run: Run, index: int) -> Figure | None:
    """Peak of the process's device use; else reserved peak plus the part outside the allocator.

    A sampled maximum is at most the true peak, so it is no ceiling. An allocated peak never is one:
    the allocator holds more than its live blocks (C3).
    """
    used = _peak(run, index, "process_device_used")
    if used is not None:
        return used
    reserved = _peak(run, index, "max_memory_reserved")
    outside = _peak(run, index, "outside_allocator")
    return None if reserved is None or outside is None else reserved + outside


def _peak(run: Run, index: int, counter: str) -> Figure | None:
    found = [
        _figure(run, o)
        for o in run.observations
        if o.counter == counter and o.stat == "peak" and o.device_index == index
    ]
    known = [figure for figure in found if figure is not None]
    if not known:
        return None
    largest = known[0]
    for figure in known[1:]:
        largest = larger(largest, figure)
    return largest


def _figure(run: Run, seen: Observation) -> Figure | None:
    value = seen.value
    if value is None or value.unavailable or value.low is None:
        return None
    origin = Observed(
        pointer=seen.pointer,
        counter=seen.counter,
        scope=seen.scope,
        stat=seen.stat,
        printed=value.text,
    )
    name = f"{run.id}.{seen.counter}.cuda{seen.device_index}"
    return Figure(
        low=value.low, high=value.high, unit=BYTE, origin=origin, id=name, label=seen.counter
    )
