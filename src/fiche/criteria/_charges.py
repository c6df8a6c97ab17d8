"""Charges beside the price: how often each is paid, by the hour, by the GB, by the GB and month (D9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.criteria import _conditions
from fiche.criteria._bought import Bought, plain
from fiche.criteria._terms import Terms
from fiche.kernel.catalog import Offer
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, ceil, either
from fiche.kernel.origin import Stated
from fiche.kernel.record import record
from fiche.kernel.unit import BYTE, ONE

CHARGES = ("setup", "storage", "egress")
# Sellers' GB is 10^9 bytes (B1).
_GB = Figure(low=10**9, high=10**9, unit=BYTE, origin=Stated(span=None), label="one GB")
_ONCE = Figure(low=1, high=1, unit=ONE, origin=Stated(span=None))


@record
class Charge:
    """A charge that is told: `times` is how often its `price` is paid, None where nobody can count it.

    `open` is what would make it countable, or exact. A charge of nothing is no charge.
    """

    name: str
    price: Figure
    per: str
    times: Figure | None
    open: tuple[Condition, ...] = ()


def charges(offer: Offer, terms: Terms, bought: Bought, periods: Figure) -> Iterator[Charge]:
    """The charges that an offer tells, for so many periods."""
    for name in CHARGES:
        price, per = offer.figures.get(name), offer.facts.get(f"{name}.per")
        if price is None:
            continue
        counted = per is not None and price.unit == terms.price.unit
        times = _times(name, per.value, offer, terms, bought, periods) if per and counted else None
        yield Charge(
            name=name,
            price=price,
            per=per.value if per is not None else "",
            times=times,
            open=tuple(_open(name, price, per.value if per else "", times, offer, terms, periods)),
        )


def _times(
    name: str, per: str, offer: Offer, terms: Terms, bought: Bought, periods: Figure
) -> Figure | None:
    what, _, time = per.partition(" ")
    if what == "GB":
        return _gigabytes(name, time, offer, terms, periods)
    counts: Mapping[str, Figure | None] = {
        "order": _ONCE,
        "lot": bought.lots,
        "card": bought.cards,
    }
    count = counts.get(what)
    if count is None or not time:
        return count
    if time != "hour" or terms.hours is None:
        return None
    return periods * plain(terms.hours) * count


def _gigabytes(name: str, time: str, offer: Offer, terms: Terms, periods: Figure) -> Figure | None:
    """So many GB, or GB months: months of the rental by the hours of the seller's own."""
    planned = offer.figures.get(f"{name}.quantity")
    if planned is None:
        return None
    data = planned / _GB
    if not time:
        return data
    months = _months(offer, terms, periods)
    if months is None:
        return None
    begun = offer.facts.get(f"{name}.begun")
    if begun is None and not _whole(months):
        return data * either(months, ceil(months), _BEGUN)
    return data * (ceil(months) if begun is not None and begun.value == "whole" else months)


_BEGUN = "whether a month that has begun is paid whole is untold"


def _months(offer: Offer, terms: Terms, periods: Figure) -> Figure | None:
    """Months of a rental; a card that is bought is stored beside for a time that nobody states."""
    if offer.kind == "buy" or terms.hours is None or terms.month is None:
        return None
    return periods * terms.hours / terms.month


def _whole(count: Figure) -> bool:
    return count.exact and count.low.denominator == 1


def _open(
    name: str,
    price: Figure,
    per: str,
    times: Figure | None,
    offer: Offer,
    terms: Terms,
    periods: Figure,
) -> Iterator[Condition]:
    """What is missing of a charge that is not zero."""
    if price.high == 0:
        return
    if times is None:
        yield _conditions.document("cost", _uncounted(name, price, per, offer, terms))
        return
    months = _months(offer, terms, periods) if per == "GB month" else None
    if months is not None and f"{name}.begun" not in offer.facts and not _whole(months):
        text = f"have the seller state whether a month of {name} that has begun is paid whole"
        yield _conditions.document("cost", f"{text} ({offer.id})")


def _uncounted(name: str, price: Figure, per: str, offer: Offer, terms: Terms) -> str:
    text = f"have the seller state what {name} costs for the whole package of {offer.id}"
    if price.unit != terms.price.unit:
        return f"{text}: it is told in {price.unit}, the price in {terms.price.unit}"
    if per.startswith("GB") and f"{name}.quantity" not in offer.figures:
        return f"{text}: it is by the GB, and no quantity is planned"
    if per == "GB month" and terms.month is None:
        return f"{text}: it is by the month, and no hours of a month are told"
    return text
