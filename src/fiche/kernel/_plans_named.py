"""Numbers of buying against renting under their names, for the ledger."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.decision import Decision
from fiche.kernel.figure import Node
from fiche.kernel.ownership import Flip, Owned, Ownership, Rental


def numbers(decision: Decision) -> Iterator[tuple[str, str, Node]]:
    """(owner, name, number) of each; a plan's own inputs stand there whether a formula uses them or not."""
    for plan in decision.fiche.plans:
        for name, figure in plan.figures.items():
            yield plan.id, f"ownership.{plan.id}.{name}", figure
    for told in decision.ownerships:
        for node in _of(told):
            yield told.plan.id, node.id or f"ownership.{told.plan.id}.unnamed", node


def _of(told: Ownership) -> Iterator[Node]:
    if told.owned is not None:
        yield from _owned(told.owned)
    for rent in told.rentals:
        yield from _rental(rent)


def _owned(own: Owned) -> Iterator[Node]:
    yield from (own.capex, own.used_hours, own.running, own.per_year, own.per_hour)
    yield from _told(own.undiscounted, own.discounted)
    for line in own.lines:
        yield from _told(line.per_year, line.undiscounted, line.discounted)


def _rental(rent: Rental) -> Iterator[Node]:
    yield from (rent.rented_hours, rent.per_year, rent.per_hour)
    yield from _told(rent.undiscounted, rent.discounted, rent.more, rent.more_discounted)
    yield from _told(
        rent.break_even.value, rent.at_stated_energy, rent.first_year.value, rent.headroom
    )
    if rent.steps is not None:
        yield from (rent.steps.base, rent.steps.one, rent.steps.period, rent.steps.least)
    if rent.crossing is not None:
        yield from (rent.crossing.used_hours, rent.crossing.years, rent.crossing.cost)
    for flip in rent.flips:
        yield from _flip(flip)


def _flip(flip: Flip) -> Iterator[Node]:
    yield flip.used
    sides = (flip.undiscounted, flip.discounted)
    yield from _told(*(side.value for side in sides if side is not None), flip.distance)


def _told(*nodes: Node | None) -> Iterator[Node]:
    return (node for node in nodes if node is not None)
