"""decision.json: the record of a choice, and the policy's thresholds beside the need's total."""

from __future__ import annotations

from typing import Any

from fiche.kernel.choice import Choice, Choosing
from fiche.kernel.decision import Decision
from fiche.kernel.figure import Node
from fiche.kernel.ledger import Ledger
from fiche.kernel.origin import Stated
from fiche.kernel.places import Places
from fiche.kernel.procedure import Band, Procedure, Thresholds
from fiche.render._figures import amounts, condition, fact


def choice(decision: Decision, book: Ledger, places: Places) -> dict[str, Any]:
    """The keys of this part; none where the decision has nothing of it."""
    told: dict[str, Any] = {}
    if decision.fiche.choice is not None:
        told["choice"] = _choice(decision.fiche.choice, decision.choosing, book, places)
    if decision.fiche.purchase.currency:
        told["currency"] = decision.fiche.purchase.currency
    if decision.fiche.purchase.facts:
        facts = decision.fiche.purchase.facts
        told["buyer"] = {name: fact(one, places) for name, one in facts.items()}
    if decision.procedure is not None:
        told["procedure"] = {
            **_procedure(decision.procedure, book, places),
            "period": _period(decision.fiche.policy.thresholds),
        }
    return told


def _id(node: Node | None, book: Ledger) -> str | None:
    return None if node is None else book.of(node).id


def _choice(choice: Choice, found: Choosing | None, book: Ledger, places: Places) -> dict[str, Any]:
    """What people wrote, then what follows from it; only what there is."""
    told: dict[str, Any] = {
        "chosen": choice.chosen,
        "by": choice.by,
        "role": choice.role,
        "because": choice.because,
    }
    further = {
        "date": choice.date,
        "budget_holder": choice.budget_holder,
        "replaces": _replaces(choice, places),
        "order": _order(choice, book, places),
        "price": _price(choice, found, book, places),
        **_people(choice, places),
        **(_following(found, book, places) if found is not None else {}),
    }
    return {**told, **{key: value for key, value in further.items() if value}}


def _replaces(choice: Choice, places: Places) -> dict[str, Any]:
    old = choice.replaces
    if old is None:
        return {}
    at = places.of_address(old.span)
    return {"what": old.what, "piece": old.piece, "sha256": old.digest, "at": at}


def _order(choice: Choice, book: Ledger, places: Places) -> dict[str, Any]:
    order = choice.order
    if order is None:
        return {}
    return {
        "date": order.date,
        "lots": _id(order.lots, book),
        "cards": _id(order.cards, book),
        "buyer": order.buyer,
        "number": order.number,
        "at": places.of_address(order.span),
    }


def _price(choice: Choice, found: Choosing | None, book: Ledger, places: Places) -> dict[str, Any]:
    price = choice.price
    if price is None:
        return {}
    return {
        "ground": price.ground,
        "offers": list(price.offers),
        "piece": price.piece,
        "listed": _id(price.listed, book),
        "discount": _id(found.discount if found is not None else None, book),
        "share": _id(found.share if found is not None else None, book),
        "because": price.because,
        "at": places.of_address(price.span),
    }


def _people(choice: Choice, places: Places) -> dict[str, Any]:
    return {
        "opinions": [
            {
                "by": one.by,
                "role": one.role,
                "says": one.says,
                "reservation": one.reservation,
                "at": places.of_address(one.span),
            }
            for one in choice.opinions
        ],
        "interests": [
            {"by": one.by, "statement": one.statement, "at": places.of_address(one.span)}
            for one in choice.interests
        ],
        "signatures": [{"name": one.name, "role": one.role} for one in choice.signatures],
    }


def _following(found: Choosing, book: Ledger, places: Places) -> dict[str, Any]:
    """What was derived of the choice and the verdicts."""
    return {
        "acceptance": [
            {
                **condition(one.condition),
                "when": one.when,
                "by": one.by,
                "test": one.test,
                "stated": one.stated,
            }
            for one in found.acceptance
        ],
        "open_at_order": [condition(one) for one in found.at_order],
        "contradictions": [
            {
                "what": one.what,
                "ordered": book.of(one.ordered).id,
                "computed": book.of(one.computed).id,
            }
            for one in found.mismatches
        ],
        "no_statement": list(found.undisclosed),
        "cheaper": [
            {"candidate": one.candidate, "difference": book.of(one.difference).id}
            for one in found.cheaper
        ],
        "rejected": [
            {
                "candidate": one.candidate,
                "requirement": one.requirement,
                "case": one.case,
                "device": one.device,
                "distance": _id(one.distance, book),
            }
            for one in found.rejected
        ],
        "accept_unused": [one.topic for one in found.unused],
    }


# --- Thresholds -----------------------------------------------------------------------------------


def _procedure(found: Procedure, book: Ledger, places: Places) -> dict[str, Any]:
    return {
        "order": _id(found.order, book),
        "total": _id(found.total, book),
        "similar_orders": [
            {
                "id": one.order.id,
                "date": one.order.date,
                "amount": _id(one.order.amount, book),
                "tax": one.order.tax,
                "seller": one.order.seller,
                "for": one.order.what,
                "piece": one.order.piece,
                "left_out": one.left_out,
                **({} if one.converted is None else {"converted": book.of(one.converted).id}),
                "at": places.of_address(one.order.span),
            }
            for one in found.counted
        ],
        "bands": [
            {**_band(one.band, book, places), "need": one.need, "order": one.order}
            for one in found.placed
        ],
        "quotes": [
            {
                "at_least": book.of(one.rule.at_least).id,
                "quotes": book.of(one.rule.quotes).id,
                "tax": one.rule.tax,
                "source": one.rule.source,
                "need": one.need,
            }
            for one in found.quotes
        ],
        "splitting": [one.band.id for one in found.splitting],
        "sellers_quoted": list(found.sellers),
        "open": [condition(one) for one in found.open],
        "assumed": found.assumed,
    }


def _period(rules: Thresholds) -> dict[str, Any] | None:
    """How long orders count together: in hours, and as the policy writes it; null where it does not say."""
    if rules.within is None:
        return None
    origin = rules.within.origin
    span = origin.span if isinstance(origin, Stated) else None
    return {
        "unit": str(rules.within.unit),
        **amounts(rules.within),
        "printed": "" if span is None else span.text,
        "source": rules.within_source,
    }


def _band(band: Band, book: Ledger, places: Places) -> dict[str, Any]:
    return {
        "id": band.id,
        "name": band.name,
        "at_least": _id(band.at_least, book),
        "below": _id(band.below, book),
        "tax": band.tax,
        "whom": band.whom,
        "article": band.article,
        "date": band.date,
        "source": band.source,
        "confirm": band.confirm,
        "at": places.of_address(band.span),
    }
