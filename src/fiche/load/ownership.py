"""Plans of buying against renting: each input with its reason, or with the piece that tells it (catalog 6)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Mapping_
from typing import NamedTuple

from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Assumed, Origin, Stated
from fiche.kernel.ownership import Plan
from fiche.kernel.piece import Piece
from fiche.kernel.purchase import Purchase
from fiche.kernel.quantity import (
    parse_duration,
    parse_money,
    parse_power,
    parse_ratio,
    parse_score,
)
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell
from fiche.kernel.yearly import parse_energy_price, parse_yearly
from fiche.load._plan_checks import check
from fiche.load.node import Mapping, Node, Scalar
from fiche.load.references import Known
from fiche.load.values import Parser, Signature, count_parser, fact, figure, unique


class _Input(NamedTuple):
    """How one input is read, what it is called, and the attested fact that a piece gives it by."""

    parser: Parser
    label: str
    fact: str
    of: str = ""


_YEARLY = "yearly_cost"
_INPUTS: Mapping_[str, _Input] = {
    "years": _Input(count_parser("years"), tell("years that the cards are kept"), ""),
    "utilisation": _Input(parse_ratio, tell("part of the hours in use"), "utilisation"),
    "discount_rate": _Input(parse_ratio, tell("discount rate a year"), ""),
    "residual": _Input(parse_money, tell("value at the end"), "residual"),
    "hosting": _Input(parse_yearly, tell("hosting, a year"), _YEARLY, "hosting"),
    "support": _Input(parse_yearly, tell("support, a year"), _YEARLY, "support"),
    "staff": _Input(parse_yearly, tell("staff, a year"), _YEARLY, "staff"),
    "spares": _Input(parse_ratio, tell("spares, a part of the purchase a year"), ""),
    "licences": _Input(parse_yearly, tell("licences, a year"), _YEARLY, "licences"),
}
_ENERGY: Mapping_[str, _Input] = {
    "load": _Input(parse_power, tell("power at load"), "power"),
    "idle": _Input(parse_power, tell("idle power"), "power"),
    "load_hours": _Input(parse_duration, tell("hours of a year at load"), ""),
    "idle_hours": _Input(parse_duration, tell("idle hours of a year"), ""),
    "modules": _Input(count_parser("modules"), tell("modules that hold the cards"), ""),
    "pue": _Input(parse_score, tell("power usage effectiveness"), "pue"),
    "price": _Input(parse_energy_price, tell("price of energy"), "energy_price"),
}
# What defines the question, and is stated where it stands bare: any other bare number is somebody's guess.
_QUESTION = ("years", "discount_rate", "modules")


class _Desk(NamedTuple):
    """What plans are built with."""

    pieces: Mapping_[str, Piece]
    sign: Signature


def plans(
    root: Mapping,
    bought: tuple[Candidate, ...],
    evidence: tuple[Piece, ...],
    purchase: Purchase,
    sign: Signature,
) -> tuple[Plan, ...]:
    """Build every plan, noting what is wrong with it; a fiche that asks for none has none."""
    names = tuple(node.text("id") for node in root.each("candidates"))
    known = Known("candidate", names, "F307")
    desk = _Desk({piece.id: piece for piece in evidence}, sign)
    found = []
    for node in unique(root.each("ownership"), "plan", sign.faults):
        named = [node.scalar("buy"), *node.scalars("rent")]
        there = [known.check(name, sign.faults) for name in named]
        plan = _plan(node, desk)
        if all(there):
            check(node, plan, {one.id: one for one in bought}, purchase, sign.faults)
        found.append(plan)
    return tuple(found)


def _plan(node: Mapping, desk: _Desk) -> Plan:
    return Plan(
        id=node.text("id"),
        buy=node.text("buy"),
        rent=tuple(name.text for name in node.scalars("rent")),
        figures=dict(_figures(node, desk)),
        facts=dict(_facts(node)),
        span=node.scalar("id").span,
    )


def _figures(node: Mapping, desk: _Desk) -> Iterator[tuple[str, Figure]]:
    for owner, inputs in ((node, _INPUTS), (node.mapping("energy"), _ENERGY)):
        for name, told in inputs.items():
            if name in owner:
                read = _figure(owner, name, told, node.text("id"), desk)
                if read is not None:
                    yield name, read


def _figure(owner: Mapping, name: str, told: _Input, plan: str, desk: _Desk) -> Figure | None:
    """One input: a bare number, a value with its reason, or what a piece attests."""
    node = owner.entries[name].value
    if isinstance(node, Mapping) and ("piece" in node) == ("value" in node):
        message = f"'{name}' names neither a value nor a piece, or both"
        hint = "write {value: …, because: …}, or {piece: …}"
        desk.sign.faults.add("F373", message, owner.entries[name].key.span, hint)
        return None
    if isinstance(node, Mapping) and "piece" in node:
        return _attested(node.scalar("piece"), name, told, desk)
    value = node if isinstance(node, Scalar) else _mapping(node).scalar("value")
    origin = _origin(name, node, value, desk.sign)
    return figure(
        value, told.parser, f"ownership.{plan}.{name}", told.label, desk.sign.faults, origin
    )


def _origin(name: str, node: Node, value: Scalar, sign: Signature) -> Origin:
    """Stated with a reason; assumed where a person is named, or where nobody gives a reason."""
    told = node if isinstance(node, Mapping) else None
    because = told.text("because") if told is not None else ""
    named = told.scalar("by") if told is not None and "by" in told else None
    if named is None and (because or name in _QUESTION):
        return Stated(span=value.span, because=because)
    by = sign.of(named, value, f"'{name}': it has no reason")
    return Assumed(by=by, because=because or tell("no reason is given"), span=value.span)


def _mapping(node: Node) -> Mapping:
    assert isinstance(node, Mapping), "the schema promises a value or a mapping"
    return node


def _attested(name: Scalar, key: str, told: _Input, desk: _Desk) -> Figure | None:
    """The one fact of that kind which the piece attests; the figure keeps the piece's own address."""
    if not Known("piece", tuple(desk.pieces), "F307").check(name, desk.sign.faults):
        return None
    terms = [
        item.terms["value"]
        for item in desk.pieces[name.text].attested
        if told.fact and item.fact == told.fact and _is_of(item.words.get("of"), told.of)
    ]
    if len(terms) == 1:
        return terms[0]
    what = f"attests {told.fact}" if told.fact else "can attest"
    message = f"'{name.text}' {'twice ' if terms else ''}{what} for '{key}'"
    if not terms:
        message = f"'{name.text}' attests no {told.fact or 'such fact'} for '{key}'"
    hint = "add the fact under 'attests' of the piece, or write a value with its reason"
    desk.sign.faults.add("F374", message, name.span, hint)
    return None


def _is_of(word: Fact | None, of: str) -> bool:
    return not of or (word is not None and word.value == of)


def _facts(node: Mapping) -> Iterator[tuple[str, Fact]]:
    if "rented" in node:
        yield "rented", fact(node.scalar("rented"))
    energy, considered = node.mapping("energy"), node.mapping("considered")
    for key in ("term", "per"):
        if key in energy:
            yield key, fact(energy.scalar(key))
    for key in considered.entries:
        yield f"considered.{key}", fact(considered.scalar(key))
