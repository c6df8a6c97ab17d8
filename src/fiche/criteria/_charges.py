"""Charges beside the price: how often each is paid, by the hour, by the GB, by the GB and month (D9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.criteria import _conditions
from fiche.criteria._bought import Bought, plain
from fiche.criteria._terms import Terms
from fiche.kernel.catalog import Offer
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, ceil, either, total
from fiche.kernel.origin import Stated
from fiche.kernel.record import record
from fiche.kernel.said import tell, tell_asking
from fiche.kernel.unit import BYTE

CHARGES = ("setup", "storage", "egress")
# Sellers' GB is 10^9 bytes (B1).
_GB = Figure(low=10**9, high=10**9, unit=BYTE, origin=Stated(span=None), label=tell("one GB"))
_ONCE = total((1,))


@record
class Charge:
    """A charge that is told: `times` is how often its `price` is paid, None where nobody can count it.

    `gigabytes` are those that are planned and `months` the time that they are stored, where it is by these.
    `open` is what would make it countable, or exact. A charge of nothing is no charge.
    """

    name: str
    price: Figure
    per: str
    times: Figure | None
    gigabytes: Figure | None = None
    months: Figure | None = None
    open: tuple[Condition, ...] = ()


def charges(offer: Offer, terms: Terms, bought: Bought, periods: Figure) -> Iterator[Charge]:
    """The charges that an offer tells, for so many periods."""
    for name in CHARGES:
        price, per = offer.figures.get(name), offer.facts.get(f"{name}.per")
        if price is not None:
            yield _charge(name, price, per.value if per else "", offer, terms, bought, periods)


def _charge(
    name: str,
    price: Figure,
    per: str,
    offer: Offer,
    terms: Terms,
    bought: Bought,
    periods: Figure,
) -> Charge:
    planned = offer.figures.get(f"{name}.quantity") if per.startswith("GB") else None
    gigabytes = None if planned is None else planned / _GB
    months = _months(name, offer, terms, periods) if per == "GB month" else None
    times = _times(per, gigabytes, months, terms, bought, periods)
    if price.unit != terms.price.unit:
        times = None
    return Charge(
        name=name,
        price=price,
        per=per,
        times=times,
        gigabytes=gigabytes,
        months=months,
        open=tuple(_open(name, price, per, times, offer, terms, months)),
    )


def _times(
    per: str,
    gigabytes: Figure | None,
    months: Figure | None,
    terms: Terms,
    bought: Bought,
    periods: Figure,
) -> Figure | None:
    """How often a charge is paid; None where nobody says what it takes to count it."""
    if per == "GB":
        return gigabytes
    if per == "GB month":
        return None if gigabytes is None or months is None else gigabytes * months
    what, _, time = per.partition(" ")
    counts: Mapping[str, Figure | None] = {"order": _ONCE, "lot": bought.lots, "card": bought.cards}
    count = counts.get(what)
    if count is None or not time:
        return count
    if time != "hour" or terms.hours is None:
        return None
    return periods * plain(terms.hours) * count


def _months(name: str, offer: Offer, terms: Terms, periods: Figure) -> Figure | None:
    """Months of a rental, by the hours of the seller's own: as they are billed, or both readings.

    A card that is bought is stored beside for a time that nobody states.
    """
    if offer.kind == "buy" or terms.hours is None or terms.month is None:
        return None
    months = periods * terms.hours / terms.month
    begun = offer.facts.get(f"{name}.begun")
    if begun is None and not _whole(months):
        return either(months, ceil(months), _BEGUN)
    return ceil(months) if begun is not None and begun.value == "whole" else months


_BEGUN = tell("whether a month that has begun is paid whole is untold")


def _whole(count: Figure) -> bool:
    return count.exact and count.low.denominator == 1


def _open(
    name: str,
    price: Figure,
    per: str,
    times: Figure | None,
    offer: Offer,
    terms: Terms,
    months: Figure | None,
) -> Iterator[Condition]:
    """What is missing of a charge that is not zero."""
    if price.high == 0:
        return
    if times is None:
        yield _conditions.document("cost", _uncounted(name, price, per, offer, terms))
    elif months is not None and f"{name}.begun" not in offer.facts and not _whole(months):
        text = tell_asking(
            "have the seller state whether a month of {name} that has begun is paid whole",
            "State whether a month of {name} that has begun is paid whole",
            name=name,
        )
        yield _conditions.document("cost", tell("{text} ({offer})", text=text, offer=offer.id))


def _uncounted(name: str, price: Figure, per: str, offer: Offer, terms: Terms) -> str:
    text = tell_asking(
        "have the seller state what {name} costs for the whole package of {offer}",
        "State what {name} costs for the whole package of {offer}",
        name=name,
        offer=offer.id,
    )
    if price.unit != terms.price.unit:
        return tell(
            "{text}: it is told in {unit}, the price in {unit2}",
            text=text,
            unit=str(price.unit),
            unit2=str(terms.price.unit),
        )
    if per.startswith("GB") and f"{name}.quantity" not in offer.figures:
        return tell("{text}: it is by the GB, and no quantity is planned", text=text)
    if per == "GB month" and terms.month is None:
        return tell("{text}: it is by the month, and no hours of a month are told", text=text)
    return text
