"""Offers as typed from sellers' documents: terms that no document states are absent (F7, D9)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Mapping_
from fractions import Fraction

from fiche.kernel.catalog import Offer
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.number import parse_number
from fiche.kernel.origin import Declared
from fiche.kernel.quantity import (
    BYTE_UNITS,
    Misread,
    parse_bytes,
    parse_date,
    parse_duration,
    parse_money,
    parse_ratio,
)
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.load.fault import Faults
from fiche.load.node import Mapping, Scalar
from fiche.load.values import Parser, above_zero, count_parser, fact, figure, leaves

# Path in the file -> name in the kernel, label, parser. Lots are counted without a word, since
# a minimum order is compared with lots and with cards.
_FIGURES: Mapping_[str, tuple[str, str, Parser]] = {
    "price.amount": ("price", tell("price"), parse_money),
    "price.per": ("hours", tell("time that the price pays for"), above_zero(parse_duration)),
    "cards_per_lot": ("cards_per_lot", tell("cards in one lot"), count_parser("cards")),
    "lots_max": ("lots_max", tell("lots that can be supplied"), count_parser("")),
    "min_order": ("min_order", tell("minimum order in lots"), count_parser("")),
    "min_time": ("min_time", tell("shortest rental"), parse_duration),
    "tax.rate": ("tax_rate", tell("tax rate"), parse_ratio),
    "setup.amount": ("setup", tell("setup"), parse_money),
    "storage.amount": ("storage", tell("storage"), parse_money),
    "egress.amount": ("egress", tell("egress"), parse_money),
    "setup.quantity": ("setup.quantity", tell("setup, data planned"), parse_bytes),
    "storage.quantity": ("storage.quantity", tell("storage, data planned"), parse_bytes),
    "egress.quantity": ("egress.quantity", tell("egress, data planned"), parse_bytes),
    "month": ("month", tell("hours of a month"), above_zero(parse_duration)),
    "commitment.time": ("commitment", tell("least time to pay"), parse_duration),
    "stock.installed": ("stock.installed", tell("cards installed"), count_parser("cards")),
    "stock.free": ("stock.free", tell("cards free"), count_parser("cards")),
}
_RENAMED = {"price.covers": "covers", "price.quote": "quote", "tax.basis": "tax"}
_DATES = ("valid_from", "valid_until", "observed_on", "delivery.earliest")
_OWN = ("id", "seller", "kind", "gpu", "notes")


def offer(node: Mapping, faults: Faults) -> Offer:
    """Build an offer from its row."""
    told = {path: scalar for path, scalar in leaves(node) if path not in _OWN}
    _check_month(told, faults)
    return Offer(
        id=node.text("id"),
        seller=node.text("seller"),
        kind=node.text("kind"),
        gpu=node.text("gpu"),
        figures=dict(_figures(node, told, faults)),
        facts=dict(_facts(told, faults)),
        span=node.scalar("id").span,
        notes=node.text("notes"),
    )


def _check_month(told: Mapping_[str, Scalar], faults: Faults) -> None:
    """A seller's month has one length: `month`, and `price.per` where `price.unit` is month."""
    keys = ("month", "price.per", "price.unit")
    if not all(key in told for key in keys) or told["price.unit"].text.lower() != "month":
        return
    first, second = (parse_duration(told[key].text) for key in ("month", "price.per"))
    if isinstance(first, Misread) or isinstance(second, Misread) or first.value == second.value:
        return
    message = f"a month of this offer is {told['month'].text}, and its price is for {second.text}"
    hint = "a seller's month has one length: leave 'month' out, or correct 'price.per'"
    faults.add("F363", message, told["month"].span, hint)


def _figures(
    node: Mapping, told: Mapping_[str, Scalar], faults: Faults
) -> Iterator[tuple[str, Figure]]:
    for path, (name, label, parser) in _FIGURES.items():
        if path in told:
            scalar = told[path]
            origin = Declared(address=scalar.span, by=node.text("seller"), printed=scalar.text)
            id = f"offer.{node.text('id')}.{name}"
            yield name, figure(scalar, parser, id, label, faults, origin)
    if "declared_memory.value" in told:
        yield "declared_memory", _declared(node, told["declared_memory.value"], faults)


def _declared(node: Mapping, scalar: Scalar, faults: Faults) -> Figure:
    """What the seller states, as wide as its last digit: how it was rounded nobody says (law 2)."""
    id, label = f"offer.{node.text('id')}.declared_memory", tell("memory that the seller states")
    origin = Declared(address=scalar.span, by=node.text("seller"), printed=scalar.text)
    exact = figure(scalar, parse_bytes, id, label, faults, origin)
    written = parse_number(scalar.text)
    if isinstance(written, Misread) or written.unit not in BYTE_UNITS:
        return exact
    step = Fraction(BYTE_UNITS[written.unit], 10 ** len(written.digits.partition(".")[2]))
    if step <= 1:
        return exact
    low, high = max(0, (exact.low - step).__ceil__()), (exact.low + step).__floor__()
    return replace(exact, low=low, high=high)


def _facts(told: Mapping_[str, Scalar], faults: Faults) -> Iterator[tuple[str, Fact]]:
    for path, scalar in told.items():
        if path in _DATES:
            day = parse_date(scalar.text)
            if isinstance(day, Misread):
                faults.misread(day, scalar.span)
        if path not in _FIGURES and path != "declared_memory.value":
            yield _RENAMED.get(path, path), fact(scalar)
