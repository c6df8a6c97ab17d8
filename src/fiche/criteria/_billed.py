"""The bill of a package: its lines, and its totals under their names."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.criteria._charges import Charge
from fiche.criteria._cost_open import Priced
from fiche.criteria._exchange import Exchange
from fiche.criteria._tax import Totals
from fiche.kernel.bill import Bill, Line, Term
from fiche.kernel.figure import Figure
from fiche.kernel.purchase import Purchase
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_LABELS = {
    "net": tell("sum as priced"),
    "excluded": tell("before tax"),
    "tax": "tax",
    "included": tell("with tax"),
    "recovered": tell("tax that the buyer recovers"),
    "payable": tell("payable: before tax, and tax that is not recovered"),
}
_KEYS = {"excluded": "before_tax", "included": "after_tax"}
COST = tell("cost of the package")


def named(figure: Figure, priced: Priced, key: str, label: str) -> Figure:
    """A number of the bill under its id."""
    return figure.named(f"{priced.candidate.id}/bill.{key}", label)


def named_total(figure: Figure, priced: Priced, key: str) -> Figure:
    """A total of the bill under its id."""
    return named(figure, priced, _KEYS.get(key, key), _LABELS[key])


def price_line(priced: Priced, periods: Figure) -> Line:
    """What the cards themselves cost: so many priced units at a time, over so many periods."""
    terms, units = priced.terms, priced.bought.units
    return _line(priced, "price", units * periods, terms.price, terms.covers)


def charge_line(priced: Priced, charge: Charge) -> Line:
    """One charge; what cannot be counted has no amount."""
    name, gigabytes, months = charge.name, charge.gigabytes, charge.months
    if gigabytes is not None:
        gigabytes = named(
            gigabytes, priced, f"{name}.gigabytes", tell("{name}, GB planned", name=name)
        )
    if months is not None:
        months = named(months, priced, f"{name}.months", tell("{name}, months paid", name=name))
    if charge.times is None:
        line = Line(name=name, quantity=None, price=charge.price, amount=None, per=charge.per)
    else:
        line = _line(priced, name, charge.times, charge.price, charge.per)
    return replace(line, gigabytes=gigabytes, months=months)


def _line(priced: Priced, name: str, times: Figure, price: Figure, per: str) -> Line:
    quantity = named(
        times, priced, f"{name}.quantity", tell("{name}, how often it is paid", name=name)
    )
    amount = named(price * quantity, priced, name, name)
    return Line(name=name, quantity=quantity, price=price, amount=amount, per=per)


def bill(
    priced: Priced,
    lines: tuple[Line, ...],
    sums: Totals,
    cost: tuple[Figure, str],
    way: Exchange,
    purchase: Purchase,
) -> Bill:
    """The whole bill; `cost` is what is compared, and the basis that it is of."""
    terms, bought = priced.terms, priced.bought
    term = _term(priced)
    return Bill(
        lines=lines,
        net=sums.net,
        compared=cost[0],
        basis=cost[1],
        term=term,
        lots=_counted(bought.lots, priced, "lots", tell("lots to order")),
        cards=_counted(bought.cards, priced, "cards", tell("cards in them")),
        before_tax=sums.excluded,
        tax_rate=terms.rate,
        tax=sums.tax,
        after_tax=sums.included,
        recovery=purchase.recovery,
        recovered=sums.recovered,
        payable=sums.payable,
        hourly=_hourly(priced, lines, term),
        rate=way.rate,
        wanted="" if way.possible else way.target,
        valid_until=terms.until,
        left_out=cost[0].left_out,
        pieces=_told(terms.pieces, priced.hours.pieces),
        by=_told(terms.by, priced.hours.by),
    )


def _told(*lists: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for each in lists for one in each if one))


def _counted(count: Figure | None, priced: Priced, key: str, label: str) -> Figure | None:
    return None if count is None else named(count, priced, key, label)


def _term(priced: Priced) -> Term:
    terms = priced.terms
    if priced.offer.kind == "buy":
        return Term()
    periods = named(priced.bought.periods, priced, tell("periods"), tell("periods that are paid"))
    hours = None
    if terms.hours is not None:
        hours = named(periods * terms.hours, priced, tell("hours"), tell("hours that are paid"))
    return Term(
        period=terms.hours,
        unit=terms.unit,
        periods=periods,
        hours=hours,
        asked=priced.hours.asked,
        needed=priced.hours.needed,
    )


def _hourly(priced: Priced, lines: tuple[Line, ...], term: Term) -> Figure | None:
    """What one card costs an hour, before the charges: told beside prices of lots of days."""
    cards, amount = priced.bought.cards, lines[0].amount
    if (
        cards is None
        or term.hours is None
        or amount is None
        or not (cards.exact and term.hours.exact)
    ):
        return None
    return named(
        amount / (cards * term.hours), priced, tell("hourly"), tell("price of a card and hour")
    )
