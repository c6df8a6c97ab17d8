"""What a policy says of quotes and procedures: amounts with the text that names them (catalog 7)."""

from __future__ import annotations

from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.procedure import NO_THRESHOLDS, Band, QuotesRule, Thresholds
from fiche.kernel.quantity import parse_duration, parse_money
from fiche.kernel.said import tell
from fiche.load.fault import Faults
from fiche.load.node import Mapping
from fiche.load.values import count_parser, figure, unique

KEYS = ("quotes_needed", "procedures", "similar_orders_within")


def thresholds(node: Mapping, faults: Faults) -> Thresholds:
    """Read the thresholds of a policy; one that states none has none."""
    if not any(key in node for key in KEYS):
        return NO_THRESHOLDS
    period = node.mapping("similar_orders_within")
    bands = unique(node.each("procedures"), "procedure", faults)
    return Thresholds(
        bands=tuple(_band(one, faults) for one in bands),
        quotes=tuple(
            _quotes(one, place, faults) for place, one in enumerate(node.each("quotes_needed"), 1)
        ),
        within=_period(period, faults) if "value" in period else None,
        within_source=period.text("source"),
    )


def _band(node: Mapping, faults: Faults) -> Band:
    name = node.text("id")
    first, end = (_end(node, key, name, faults) for key in ("at_least", "below"))
    if first is not None and end is not None and (first.unit != end.unit or first.low >= end.low):
        hint = "'at_least' is its first amount, 'below' the first that is not in it any more"
        message = f"no amount is in the band '{name}'"
        faults.add("F397", message, node.scalar("below").span, hint)
    return Band(
        id=name,
        name=node.text("name"),
        tax=node.text("tax"),
        source=node.text("source"),
        confirm=node.text("confirm"),
        span=node.scalar("id").span,
        at_least=first,
        below=end,
        article=node.text("article"),
        date=node.text("date"),
        whom=node.text("whom"),
    )


def _end(node: Mapping, key: str, name: str, faults: Faults) -> Figure | None:
    if key not in node:
        return None
    return _money(
        node, key, f"policy.procedures.{name}.{key}", _words(key, node.text("name")), faults
    )


def _words(key: str, name: str) -> str:
    return (
        tell("first amount of {name}", name=name)
        if key == "at_least"
        else tell("end of {name}", name=name)
    )


def _quotes(node: Mapping, place: int, faults: Faults) -> QuotesRule:
    prefix = f"policy.quotes_needed.{place}"
    quotes, because = node.scalar("quotes"), node.text("source")
    origin = Stated(span=quotes.span, because=because)
    label = tell("quotes asked for")
    parser = count_parser("quotes")
    return QuotesRule(
        at_least=_money(
            node, "at_least", f"{prefix}.at_least", tell("first amount asked for"), faults
        ),
        quotes=figure(quotes, parser, f"{prefix}.quotes", label, faults, origin),
        tax=node.text("tax"),
        source=because,
        span=node.scalar("at_least").span,
    )


def _money(node: Mapping, key: str, id: str, label: str, faults: Faults) -> Figure:
    told = node.scalar(key)
    origin = Stated(span=told.span, because=node.text("source"))
    return figure(told, parse_money, id, label, faults, origin)


def _period(node: Mapping, faults: Faults) -> Figure:
    told = node.scalar("value")
    origin = Stated(span=told.span, because=node.text("source"))
    label = tell("how long before the order similar orders count with it")
    return figure(told, parse_duration, "policy.similar_orders_within", label, faults, origin)
