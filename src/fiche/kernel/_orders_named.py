"""Numbers of the record of a choice under their names, for the ledger."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.decision import Decision
from fiche.kernel.figure import Node


def numbers(decision: Decision) -> Iterator[tuple[str, str, Node]]:
    """(owner, name, number) of each."""
    for owner, node in (*_asked(decision), *_thresholds(decision), *_found(decision)):
        if node is not None:
            yield owner, node.id or f"{owner}.amount", node


def _asked(decision: Decision) -> Iterator[tuple[str, Node | None]]:
    """What the fiche states: the order's counts, the list price, amounts of similar orders."""
    choice = decision.fiche.choice
    if choice is not None and choice.order is not None:
        yield "order", choice.order.lots
        yield "order", choice.order.cards
    if choice is not None and choice.price is not None:
        yield choice.price.piece, choice.price.listed
    for order in decision.fiche.similar_orders:
        yield order.id, order.amount


def _thresholds(decision: Decision) -> Iterator[tuple[str, Node | None]]:
    rules = decision.fiche.policy.thresholds
    for band in rules.bands:
        yield "policy", band.at_least
        yield "policy", band.below
    for rule in rules.quotes:
        yield "policy", rule.at_least
        yield "policy", rule.quotes
    yield "policy", rules.within


def _found(decision: Decision) -> Iterator[tuple[str, Node | None]]:
    """What was computed of them."""
    if decision.procedure is not None:
        yield "procedure", decision.procedure.order
        yield "procedure", decision.procedure.total
        for counted in decision.procedure.counted:
            yield counted.order.id, counted.converted
    if decision.choosing is not None:
        yield "choice", decision.choosing.discount
        yield "choice", decision.choosing.share
        for cheaper in decision.choosing.cheaper:
            yield "choice", cheaper.difference
        for rejected in decision.choosing.rejected:
            yield rejected.candidate, rejected.distance
        for mismatch in decision.choosing.mismatches:
            yield "choice", mismatch.computed
