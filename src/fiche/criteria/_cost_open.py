"""What keeps a cost from being known: each point that a seller, a buyer or the author has to state.

Each says what the answer may do to the amount, so that a report can say which answers exclude.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _conditions
from fiche.criteria._bought import Bought, covered, period, plain
from fiche.criteria._hours import Hours
from fiche.criteria._terms import Terms
from fiche.criteria._words import number_text
from fiche.kernel.catalog import Offer
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell, tell_asking

_AUTHOR = tell("author of the fiche")

# What an answer does to the least that a package costs: nothing; either of two readings that are known;
# anything; anything, once all of the hours are told; a part of what makes it comparable: the tax, the rate.
NOTHING, WITHIN, FREELY, HOURS, TAX, RATE = "nothing", "within", "freely", "hours", "tax", "rate"


@record(kw_only=False)
class Point:
    """One open point of a cost, and what its answer does to the amount."""

    condition: Condition
    sways: str


@record
class Priced:
    """One candidate's offer, its terms, how much of it is bought and for how long."""

    candidate: Candidate
    offer: Offer
    terms: Terms
    bought: Bought
    hours: Hours


def open_of(priced: Priced, basis: str, ground: Inquiry) -> Iterator[Point]:
    """Everything open, in the order in which a reader should take it."""
    yield from _open_hours(priced)
    yield from _open_quantity(priced)
    yield from _open_stock(priced)
    offer, terms = priced.offer, priced.terms
    if not terms.quoted:
        yield _point(
            tell_asking(
                "get a quote that states the price of offer {offer}",
                "Send a quote that states the price of offer {offer}",
                offer=offer.id,
            ),
            NOTHING,
        )
    yield from (Point(one, TAX) for one in _open_tax(offer, terms, basis, ground))
    if terms.valid != "yes":
        yield _point(_validity_text(offer, terms.valid, ground.date), NOTHING)


def _point(text: str, sways: str) -> Point:
    return Point(_conditions.document("cost", text), sways)


def _open_hours(priced: Priced) -> Iterator[Point]:
    offer, terms, periods = priced.offer, priced.terms, priced.bought.periods
    if offer.kind == "buy":
        return
    yield from (Point(one, HOURS) for one in priced.hours.open)
    if terms.hours is None:
        yield Point(period(offer), HOURS)
    elif periods.low > 1 and not terms.extension_told and _matters(priced):
        text = tell_asking(
            "have the seller state how {offer} is extended: by lots or by hours",
            "State how {offer} is extended: by lots or by hours",
            offer=offer.id,
        )
        yield _point(text, WITHIN)
    bound = offer.facts.get("commitment")
    if bound is not None and "commitment" not in offer.figures and bound.value.lower() != "none":
        text = tell_asking(
            "have the seller state in hours what '{bound}' binds the buyer of {offer} to pay",
            "State in hours what '{bound}' binds the buyer of {offer} to pay",
            bound=bound.value,
            offer=offer.id,
        )
        yield _point(text, HOURS)


def _matters(priced: Priced) -> bool:
    """Whole periods and hours added to one differ: always in days, by the hour where a part of one is left."""
    hours, bought = priced.terms.hours, priced.bought
    by_day = hours is not None and hours.low > 1
    return by_day or (priced.hours.firm and not bought.periods.exact)


def _open_quantity(priced: Priced) -> Iterator[Point]:
    """What keeps the number of lots from being known, or being had."""
    offer, bought = priced.offer, priced.bought
    if not bought.units.exact:
        yield Point(covered(offer), WITHIN if bought.units.high is not None else FREELY)
    most = offer.figures.get("lots_max")
    if most is not None and bought.lots is not None and bought.lots.low > most.low:
        text = tell_asking(
            "{offer} has {most} lots at most: have the seller offer {lots}",
            "{offer} has {most} lots at most: offer {lots}",
            offer=offer.id,
            most=number_text(most.low),
            lots=number_text(bought.lots.low),
        )
        yield _point(text, NOTHING)


def _open_stock(priced: Priced) -> Iterator[Point]:
    """Installed is not free: 5 free of 8 installed serve no order of 8."""
    offer = priced.offer
    free, installed = (offer.figures.get(f"stock.{word}") for word in ("free", "installed"))
    there = free if free is not None else installed
    cards = priced.bought.cards if priced.bought.cards is not None else priced.candidate.cards
    if there is None or plain(cards).low <= there.low:
        return
    count = number_text(there.low)
    if free is None:
        seen = tell("{count} cards installed", count=count)
    elif installed is None:
        seen = tell("{count} cards free", count=count)
    else:
        of = number_text(installed.low)
        seen = tell("{count} cards free of {installed} installed", count=count, installed=of)
    lacking = _conditions.document(
        "availability",
        tell_asking(
            "{offer} shows {seen}: have the seller confirm {plain} for the order",
            "{offer} shows {seen}: confirm {plain} for the order",
            offer=offer.id,
            seen=seen,
            plain=number_text(plain(cards).low),
        ),
        threshold=tell("free cards >= {plain}", plain=number_text(plain(cards).low)),
    )
    yield Point(lacking, NOTHING)


def _open_tax(offer: Offer, terms: Terms, basis: str, ground: Inquiry) -> Iterator[Condition]:
    if not basis:
        text = tell("state whether the budget is before or after tax")
        yield _conditions.document("cost", text, supplier=_AUTHOR)
        return
    if not terms.basis:
        yield _conditions.document(
            "cost",
            tell_asking(
                "have the seller state whether {offer} includes tax",
                "State whether {offer} includes tax",
                offer=offer.id,
            ),
        )
        return
    recovery = ground.purchase.recovery
    untaxed = terms.rate is not None and terms.rate.high == 0
    if basis == "payable" and recovery is None and not untaxed:
        text = tell("state 'buyer.tax_recovery', the share of the tax that the buyer gets back")
        yield _conditions.document("cost", text, supplier=_AUTHOR)
    if terms.rate is None and not _needs_no_rate(basis, terms, ground):
        yield _conditions.document(
            "cost",
            tell_asking(
                "have the seller state the tax rate of {offer}",
                "State the tax rate of {offer}",
                offer=offer.id,
            ),
        )


def _needs_no_rate(basis: str, terms: Terms, ground: Inquiry) -> bool:
    """The asked amount is the priced one: none of the tax is recovered, or all of it."""
    if basis != "payable":
        return basis == terms.basis
    recovery = ground.purchase.recovery
    if recovery is None:
        return False
    return recovery.low == 1 if terms.basis == "excluded" else recovery.high == 0


def _validity_text(offer: Offer, valid: str, date: str) -> str:
    if valid == "untold":
        return tell_asking(
            "have the seller state until when {offer} holds (decision of {date})",
            "State until when {offer} holds (decision of {date})",
            offer=offer.id,
            date=date,
        )
    return tell_asking(
        "renew {offer}: it does not hold on {date} ({valid})",
        "Renew {offer}: it does not hold on {date} ({valid})",
        offer=offer.id,
        date=date,
        valid=valid,
    )
