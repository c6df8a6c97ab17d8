"""decision.json: buying against renting."""

from __future__ import annotations

from typing import Any

from fiche.kernel.decision import Decision
from fiche.kernel.figure import Node
from fiche.kernel.ledger import Ledger
from fiche.kernel.ownership import Flip, Owned, Ownership, Rental, Threshold
from fiche.kernel.places import Places
from fiche.render._figures import condition, fact


def ownership(decision: Decision, book: Ledger, places: Places) -> dict[str, Any]:
    """The keys of this part; none where the fiche has no plan."""
    told = [_plan(each, book, places) for each in decision.ownerships]
    return {"ownership": told} if told else {}


def _plan(told: Ownership, book: Ledger, places: Places) -> dict[str, Any]:
    plan = told.plan
    return {
        "id": plan.id,
        "buy": plan.buy,
        "rent": list(plan.rent),
        "at": places.of_address(plan.span),
        "inputs": {name: book.of(figure).id for name, figure in plan.figures.items()},
        "facts": {name: fact(word, places) for name, word in plan.facts.items()},
        "basis": told.basis,
        "owned": None if told.owned is None else _owned(told.owned, book),
        "rentals": [_rental(rent, book) for rent in told.rentals],
        "missing": list(told.missing),
        "conditions": [condition(each) for each in told.conditions],
        "omitted": list(told.omitted),
    }


def _id(node: Node | None, book: Ledger) -> str | None:
    return None if node is None else book.of(node).id


def _ids(told: Owned | Rental, names: tuple[str, ...], book: Ledger) -> dict[str, str | None]:
    return {name: _id(getattr(told, name), book) for name in names}


_SUMS = ("per_year", "per_hour", "undiscounted", "discounted")


def _owned(own: Owned, book: Ledger) -> dict[str, Any]:
    return {
        **_ids(own, (*_SUMS, "capex", "running", "used_hours"), book),
        "candidate": own.candidate,
        "lines": [
            {
                "name": line.name,
                "per_year": _id(line.per_year, book),
                "undiscounted": _id(line.undiscounted, book),
                "discounted": _id(line.discounted, book),
            }
            for line in own.lines
        ],
        "untold": list(own.untold),
        "conditions": [condition(each) for each in own.conditions],
    }


def _rental(rent: Rental, book: Ledger) -> dict[str, Any]:
    crossed = rent.crossing
    return {
        **_ids(rent, (*_SUMS, "rented_hours", "more", "more_discounted", "headroom"), book),
        "candidate": rent.candidate,
        "answer": rent.answer,
        "answer_discounted": rent.answer_discounted or None,
        "break_even_utilisation": _threshold(rent.break_even, book),
        "break_even_at_stated_energy": _id(rent.at_stated_energy, book),
        "crossing": (
            None
            if crossed is None
            else {
                "hours": _id(crossed.used_hours, book),
                "years": _id(crossed.years, book),
                "cost": _id(crossed.cost, book),
            }
        ),
        "crossing_never": rent.crossing_never or None,
        "first_year_discounted": _threshold(rent.first_year, book),
        "flips": [_flip(flip, book) for flip in rent.flips],
        "conditions": [condition(each) for each in rent.conditions],
    }


def _threshold(told: Threshold | None, book: Ledger) -> dict[str, str | None] | None:
    if told is None:
        return None
    return {"value": _id(told.value, book), "never": told.never or None}


def _flip(flip: Flip, book: Ledger) -> dict[str, Any]:
    return {
        "input": flip.name,
        "used": _id(flip.used, book),
        "undiscounted": _threshold(flip.undiscounted, book),
        "discounted": _threshold(flip.discounted, book),
        "distance": _id(flip.distance, book),
    }
