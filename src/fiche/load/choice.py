"""The record of a choice as a fiche writes it, and the orders that count with it (E1, catalog 7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.kernel.choice import (
    Accept,
    Choice,
    Interest,
    Opinion,
    Ordered,
    Reasonable,
    Replaced,
    Signatory,
)
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.piece import Piece
from fiche.kernel.procedure import SimilarOrder
from fiche.kernel.quantity import parse_money
from fiche.kernel.said import tell
from fiche.load.fault import Faults
from fiche.load.node import Mapping
from fiche.load.references import Known
from fiche.load.values import Signature, count_parser, figure, unique

NO_CHOICE = "none"
_GROUNDS = ("comparison", "list_price", "statement")


def choice(
    root: Mapping, evidence: tuple[Piece, ...], offers: Known, faults: Faults
) -> Choice | None:
    """Build the choice of a fiche; None where it records none."""
    if "decision" not in root:
        return None
    told = root.mapping("decision")
    names = tuple(node.text("id") for node in root.each("candidates"))
    Known("candidate", (NO_CHOICE, *names), "F307").check(told.scalar("chosen"), faults)
    return Choice(
        chosen=told.text("chosen"),
        by=told.text("by"),
        role=told.text("role"),
        because=told.text("because"),
        date=told.text("date"),
        budget_holder=told.text("budget_holder"),
        replaces=_replaced(told, root, evidence, faults) if "replaces" in told else None,
        order=_ordered(told, faults) if "order" in told else None,
        price=_reasonable(told, root, evidence, offers, faults) if "price" in told else None,
        opinions=tuple(_opinion(node) for node in told.each("opinions")),
        interests=tuple(_interest(node) for node in told.each("interests")),
        signatures=tuple(_signatory(node) for node in told.each("signatures")),
        accept=tuple(
            _accept(node) for node in unique(told.each("accept"), "topic", faults, "topic")
        ),
    )


def _known_pieces(root: Mapping) -> Known:
    return Known("piece", tuple(node.text("id") for node in root.each("pieces")), "F307")


def _replaced(
    told: Mapping, root: Mapping, evidence: tuple[Piece, ...], faults: Faults
) -> Replaced:
    """What is replaced; a digest that is typed beside a file must be the file's own (F396)."""
    node = told.mapping("replaces")
    digest = node.text("digest").removeprefix("sha256:")
    if "piece" in node and _known_pieces(root).check(node.scalar("piece"), faults):
        own = next((p.sha256 for p in evidence if p.id == node.text("piece")), digest)
        if digest and digest != own:
            message = f"the earlier decision '{node.text('piece')}' has another sha256"
            faults.add("F396", message, node.scalar("digest").span, f"it is {own}")
        digest = own
    what = node.scalar("what")
    return Replaced(what=what.text, span=what.span, piece=node.text("piece"), digest=digest)


def _ordered(told: Mapping, faults: Faults) -> Ordered:
    node = told.mapping("order")
    if told.text("chosen") == NO_CHOICE:
        key = told.entries["order"].key
        faults.add("F398", "an order, and nothing is chosen", key.span, "leave 'order' out")
    return Ordered(
        span=told.entries["order"].key.span,
        date=node.text("date"),
        lots=_counted(node, "lots", "lots", faults),
        cards=_counted(node, "cards", "cards", faults),
        buyer=node.text("buyer"),
        number=node.text("number"),
    )


_ORDERED = {"lots": tell("lots ordered"), "cards": tell("cards ordered")}


def _counted(node: Mapping, key: str, word: str, faults: Faults) -> Figure | None:
    """A stated count. Lots bear no word: they are compared with what a price is multiplied by."""
    if key not in node:
        return None
    parser = count_parser("" if word == "lots" else word)
    return figure(node.scalar(key), parser, f"order.{key}", _ORDERED[word], faults)


def _reasonable(
    told: Mapping, root: Mapping, evidence: tuple[Piece, ...], offers: Known, faults: Faults
) -> Reasonable:
    """The one ground on which the price is called reasonable (F395 where it is none, or several)."""
    node, key = told.mapping("price"), told.entries["price"].key
    grounds = [name for name in _GROUNDS if name in node]
    if len(grounds) != 1:
        hint = f"write one of {', '.join(_GROUNDS)}"
        faults.add("F395", f"{len(grounds)} grounds for the price, not one", key.span, hint)
        return Reasonable(ground="", span=key.span)
    ground = grounds[0]
    if ground == "comparison":
        named = tuple(node.scalars(ground))
        for name in named:
            offers.check(name, faults)
        return Reasonable(
            ground=ground,
            span=key.span,
            offers=tuple(name.text for name in named),
            because=node.text("because"),
        )
    _known_pieces(root).check(node.scalar(ground), faults)
    return Reasonable(
        ground=ground,
        span=key.span,
        piece=node.text(ground),
        listed=_listed(evidence, node.text(ground)) if ground == "list_price" else None,
        because=node.text("because"),
    )


def _listed(evidence: tuple[Piece, ...], name: str) -> Figure | None:
    """The price that a piece attests; None where it attests none."""
    return next(_prices(evidence, name), None)


def _prices(evidence: tuple[Piece, ...], name: str) -> Iterator[Figure]:
    return (
        item.terms["amount"]
        for piece in evidence
        if piece.id == name
        for item in piece.attested
        if item.fact == "price" and "amount" in item.terms
    )


def _opinion(node: Mapping) -> Opinion:
    told = node.text("reservation").lower()
    return Opinion(
        by=node.text("by"),
        role=node.text("role"),
        says=node.text("says"),
        reservation={"true": True, "false": False}.get(told),
        span=node.scalar("says").span,
    )


def _interest(node: Mapping) -> Interest:
    statement = node.scalar("statement")
    return Interest(by=node.text("by"), statement=statement.text, span=statement.span)


def _signatory(node: Mapping) -> Signatory:
    return Signatory(name=node.text("name"), role=node.text("role"), span=node.scalar("role").span)


def _accept(node: Mapping) -> Accept:
    return Accept(
        topic=node.text("topic"),
        span=node.scalar("topic").span,
        when=node.text("when"),
        by=node.text("by"),
        test=node.text("test"),
    )


def similar_orders(
    root: Mapping, evidence: tuple[Piece, ...], sign: Signature
) -> tuple[SimilarOrder, ...]:
    """Other orders for the same need, each amount as the buyer states it or a piece prints it."""
    nodes = unique(root.each("similar_orders"), "similar order", sign.faults)
    return tuple(_similar(nodes, _known_pieces(root), evidence, sign))


def _similar(
    nodes: Iterable[Mapping], known: Known, evidence: tuple[Piece, ...], sign: Signature
) -> Iterator[SimilarOrder]:
    for node in nodes:
        if "piece" in node:
            known.check(node.scalar("piece"), sign.faults)
        yield SimilarOrder(
            id=node.text("id"),
            span=node.scalar("id").span,
            date=node.text("date"),
            amount=_amount(node, evidence, sign) if "amount" in node else None,
            tax=node.text("tax"),
            seller=node.text("seller"),
            what=node.text("for"),
            piece=node.text("piece"),
        )


def _amount(node: Mapping, evidence: tuple[Piece, ...], sign: Signature) -> Figure:
    """What was ordered: declared where the piece attests that very amount, else as the fiche states it."""
    told, name = node.scalar("amount"), node.text("id")
    id = f"similar_orders.{name}.amount"
    label = tell("amount of the similar order {name}", name=name)
    stated = figure(told, parse_money, id, label, sign.faults, Stated(span=told.span))
    printed = (
        term
        for term in _prices(evidence, node.text("piece"))
        if (term.low, term.unit) == (stated.low, stated.unit)
    )
    return next((term.named(id, label) for term in printed), stated)
