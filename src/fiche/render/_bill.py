"""decision.json: what packages cost."""

from __future__ import annotations

from typing import Any

from fiche.kernel.bill import Bill, Line, figures_of
from fiche.kernel.decision import Decision
from fiche.kernel.figure import Node
from fiche.kernel.ledger import Ledger
from fiche.kernel.places import Places
from fiche.kernel.requirement import Candidate


def bill(decision: Decision, book: Ledger, places: Places) -> dict[str, Any]:
    """One entry a candidate that has a price; no key where none has."""
    told = [
        _bill(outcome.candidate, outcome.bill, book)
        for outcome in decision.outcomes
        if outcome.bill is not None
    ]
    return {"bills": told} if told else {}


def _bill(who: Candidate, told: Bill, book: Ledger) -> dict[str, Any]:
    offer = who.offer
    assert offer is not None
    record = {
        "candidate": who.id,
        "offer": offer.id,
        "seller": offer.seller,
        "kind": offer.kind,
        "currency": str(told.net.unit),
        "basis": told.basis,
        "unit": told.term.unit,
        "lines": [_line(one, book) for one in told.lines],
        "numbers": {name: book.of(node).id for name, node in figures_of(told).items()},
        "valid_until": told.valid_until,
        "left_out": list(told.left_out),
        "pieces": list(told.pieces),
        "by": list(told.by),
    }
    rate = told.rate
    if rate is None:
        return record
    converted = {
        "from": rate.source,
        "to": rate.target,
        "date": rate.date,
        "source": rate.told_by,
        "piece": rate.piece,
    }
    return {**record, "rate": converted}


def _line(told: Line, book: Ledger) -> dict[str, Any]:
    return {
        "name": told.name,
        "per": told.per,
        "quantity": _id(told.quantity, book),
        "price": _id(told.price, book),
        "amount": _id(told.amount, book),
    }


def _id(node: Node | None, book: Ledger) -> str | None:
    return None if node is None else book.of(node).id
