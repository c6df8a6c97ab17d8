"""What is alive together in each phase of a case, and which phase asks for most (C4, D7).

A total of a phase is never an observed peak. At most, its items all hold their most at one time; at least,
the resident ones are there with the largest of the others, for those come and go. An open item opens it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from fiche.estimators._reading import operation_is, qualified
from fiche.kernel.comparison import LoadItem, PhaseTotal
from fiche.kernel.figure import Figure, Node, either, larger, total
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

_GENERATION = ("model_load", "prefill", "decode")
_STEP = ("model_load", "first_step", "forward", "loss", "backward", "optimizer_step")


def phases_of(workload: Workload, case: Case | None) -> tuple[str, ...]:
    """The phases that a case states, or those of its operation; none where neither is told."""
    if case is not None and case.phases:
        return case.phases
    if operation_is(workload, "generation"):
        return _GENERATION
    return _STEP if operation_is(workload, "training", "adaptation") else ()


def phase_totals(
    workload: Workload, case: Case | None, items: Iterable[LoadItem]
) -> tuple[PhaseTotal, ...]:
    """One total a phase, in the order of the phases."""
    every = tuple(items)
    return tuple(_total(phase, case, every) for phase in phases_of(workload, case))


def peak_phase(totals: Iterable[PhaseTotal]) -> PhaseTotal | None:
    """The phase whose total may be largest: by its far end, an open one first, then by its low end."""
    return max(totals, key=lambda each: (_far(each.total), each.total.low), default=None)


def _far(figure: Figure) -> tuple[bool, object]:
    return figure.high is None, figure.high or 0


def _total(phase: str, case: Case | None, items: tuple[LoadItem, ...]) -> PhaseTotal:
    alive = [item for item in items if not item.phases or phase in item.phases]
    alive.sort(key=lambda item: -item.node.low)
    summed = _together(alive)
    label = f"{phase.replace('_', ' ')}: what is alive together"
    named = summed.named(qualified(case, f"phase.{phase}"), label)
    return PhaseTotal(phase=phase, items=tuple(alive), total=named)


def _together(alive: list[LoadItem]) -> Figure:
    summed = total((item.node for item in alive), BYTE)
    passing = [item.node for item in alive if not item.resident]
    if len(passing) < 2:
        return summed
    largest: Node = reduce(larger, passing[1:], passing[0])
    least = total([*(item.node for item in alive if item.resident), largest], BYTE)
    return either(least, summed, "items that are not resident need not be alive at one time")
