"""What is alive together in each phase of a case, and which phase asks for most (C4, D7).

A total of a phase is never an observed peak. At most, its items all hold their most at one time; at least,
the resident ones are there with the largest of the others, for those come and go. An open item opens it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from fiche.estimators._qualify import qualify
from fiche.estimators._reading import operation_is, qualified
from fiche.kernel.comparison import LoadItem, PhaseTotal
from fiche.kernel.figure import Figure, Node, Unknown, either, larger, total
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.spoken import spoken
from fiche.kernel.trace import reevaluate, walk
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
    return tuple(
        _total(phase, case, _at_its_end(phase, case, every)) for phase in phases_of(workload, case)
    )


def _at_its_end(phase: str, case: Case | None, items: tuple[LoadItem, ...]) -> tuple[LoadItem, ...]:
    """A prefill ends before any new token is kept; a program may make room for all of them at once."""
    told = None if case is None or phase != "prefill" else case.dimensions.get("new_tokens")
    if told is None or not told.low:
        return items
    none = replace(told, low=0, high=0)
    return tuple(_before(item, phase, none) for item in items)


def _before(item: LoadItem, phase: str, none: Figure) -> LoadItem:
    early = reevaluate(item.node, {none.id: none})
    if early is item.node:
        return item
    assert isinstance(early, Figure | Unknown)
    known = {each.id: each for each in walk(item.node) if each.id and each.id != none.id}
    (renamed,) = qualify((early,), f"{phase}_end.", known)
    because = tell("kept at the end of the prefill, or room made for the whole sequence")
    held = either(renamed, item.node, because)
    return replace(item, node=held.named(f"{phase}.{item.node.id}", item.node.label))


def peak_phase(totals: Iterable[PhaseTotal]) -> PhaseTotal | None:
    """The phase whose total may be largest: by its far end, an open one first, then by its low end."""
    return max(totals, key=lambda each: (_far(each.total), each.total.low), default=None)


def _far(figure: Figure) -> tuple[bool, object]:
    return figure.high is None, figure.high or 0


def _total(phase: str, case: Case | None, items: tuple[LoadItem, ...]) -> PhaseTotal:
    alive = [item for item in items if not item.phases or phase in item.phases]
    alive.sort(key=lambda item: -item.node.low)
    summed = together(alive)
    label = tell("{phase}: what is alive together", phase=spoken(phase))
    named = summed.named(qualified(case, f"phase.{phase}"), label)
    return PhaseTotal(phase=phase, items=tuple(alive), total=named)


def together(alive: list[LoadItem]) -> Figure:
    """What so many items hold at one time, in bytes: at most all of them at their most."""
    summed = total((item.node for item in alive), BYTE)
    passing = [item.node for item in alive if not item.resident]
    if len(passing) < 2:
        return summed
    largest: Node = reduce(larger, passing[1:], passing[0])
    least = total([*(item.node for item in alive if item.resident), largest], BYTE)
    return either(least, summed, tell("items that are not resident need not be alive at one time"))
