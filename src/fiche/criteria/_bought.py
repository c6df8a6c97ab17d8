"""How much of an offer is bought: whole lots, whole cards, minimum order and minimum time (D9)."""

from __future__ import annotations

from fiche.criteria import _conditions
from fiche.criteria._hours import Hours, duration
from fiche.criteria._terms import Terms
from fiche.kernel.catalog import Offer
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node, Unknown, ceil, either, larger
from fiche.kernel.origin import Stated
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell, tell_asking
from fiche.kernel.unit import HOUR, ONE


@record
class Bought:
    """Lots, cards in them, priced units at one time, periods, and the least periods that may be paid.

    `lots` and `cards` are None where nobody says what a lot holds.
    """

    lots: Figure | None
    cards: Figure | None
    units: Figure
    periods: Figure
    least: Figure


def bought_of(
    offer: Offer, candidate: Candidate, terms: Terms, hours: Hours, *, assume: bool = False
) -> Bought:
    """How much of an offer a candidate takes; `assume` lets guessed hours in as a least, too."""
    lots, units = _units(offer, candidate, terms)
    periods, least = _periods(offer, terms, hours, assume=assume)
    cards = _cards(offer, lots, units, terms)
    return Bought(lots=lots, cards=cards, units=units, periods=periods, least=least)


def _cards(offer: Offer, lots: Figure | None, units: Figure, terms: Terms) -> Figure | None:
    """Every card of the lots; None where nobody says how many they hold."""
    if lots is not None:
        return lots * plain(offer.figures["cards_per_lot"])
    return units if terms.covers == "card" and units.exact else None


def _units(offer: Offer, candidate: Candidate, terms: Terms) -> tuple[Figure | None, Figure]:
    """(lots, priced units): enough cards in whole lots, at least the minimum order.

    A price per card is paid for every card of the lots. Where nobody says what the price covers, or
    how many cards a lot holds, both readings stand.
    """
    cards = plain(candidate.cards)
    order = offer.figures.get("min_order")
    per_lot = offer.figures.get("cards_per_lot")
    if per_lot is None:
        return None, _units_of_untold_lots(offer, cards, terms)
    lots = ceil(cards / plain(per_lot))
    lots = lots if order is None else larger(lots, plain(order))
    if terms.covers == "lot" or per_lot.high == 1:
        return lots, lots
    by_card = lots * plain(per_lot)
    return lots, by_card if terms.covers == "card" else either(lots, by_card, _COVERS)


def _units_of_untold_lots(offer: Offer, cards: Figure, terms: Terms) -> Figure:
    """Priced units where nobody says what a lot holds: one card at least, so no fewer cards than lots.

    A minimum order counts lots: of more than one, the cards to pay for are open.
    """
    single = terms.covers == "card" or cards.low == 1
    units = cards if single else either(1, cards, _CARDS)
    if "min_order" not in offer.figures:
        return units
    order = plain(offer.figures["min_order"])
    units = larger(units, order)
    if order.low == 1 or terms.covers == "lot":
        return units
    unknown = Unknown(
        condition=covered(offer),
        unit=ONE,
        id=f"{offer.id}.cards_of_lots",
        label=tell("cards of the lots"),
    )
    return larger(units, unknown)


_CARDS = tell("how many cards a lot holds is untold")
_COVERS = tell("whether the price is for the lot or for one card is untold")
_EXTENDED = tell("how a rental goes on after its period is untold")


def plain(count: Figure) -> Figure:
    """A count without its word: cards per lot and lots make no unit of their own."""
    if count.unit == ONE:
        return count
    return count / Figure(low=1, high=1, unit=count.unit, origin=Stated(span=None))


def _periods(offer: Offer, terms: Terms, hours: Hours, *, assume: bool) -> tuple[Figure, Figure]:
    """(periods paid, least that may be paid): whole periods, unless hours may be added to one.

    73 h on a 72-hour lot are two lots, or 73/72 of one; where the terms of extension are untold both readings
    stand. Hours that somebody guesses are no least, unless guesses are let in.
    """
    once = Figure(low=1, high=1, unit=ONE, origin=Stated(span=None))
    if offer.kind == "buy":
        return once, once
    if terms.hours is None:
        unknown = Unknown(
            condition=period(offer), unit=ONE, id="periods", label=tell("periods paid")
        )
        return larger(unknown, 1), once
    asked = hours.asked if assume or hours.firm else None
    share = _share(offer, hours.asked, terms.hours)
    least = share if asked is not None else _share(offer, terms.hours, terms.hours)
    if terms.extension == "hours":
        return share, least
    whole = ceil(share)
    if terms.extension == "lots":
        return whole, whole if least is share else ceil(least)
    return either(share, whole, _EXTENDED), least


def _share(offer: Offer, asked: Figure | None, period: Figure) -> Figure:
    """Periods that the hours are, one at least: those asked for, or the least time where that is longer."""
    needed: Node
    if asked is None:
        needed = Unknown(condition=duration(), unit=HOUR, id="duration", label=tell("hours needed"))
        needed = larger(needed, period)
    else:
        needed = asked
    for least in _BINDING:
        needed = larger(needed, offer.figures[least]) if least in offer.figures else needed
    return larger(needed / period, 1)


_BINDING = ("min_time", "commitment")


def covered(offer: Offer) -> Condition:
    """A price for a lot or for a card, and lots of an untold size."""
    return _conditions.document(
        "cost",
        tell_asking(
            "have the seller state what the price of {offer} covers, and the cards of a lot",
            "State what the price of {offer} covers, and the cards of a lot",
            offer=offer.id,
        ),
    )


def period(offer: Offer) -> Condition:
    """A price without the time that it pays for; a month is sold as 672, 730 and 744 h."""
    unit = offer.facts.get("price.unit")
    told = tell(": a {unit} has no length of its own", unit=unit.value) if unit is not None else ""
    text = tell_asking(
        "have the seller state how many hours {offer} pays for{told}",
        "State how many hours {offer} pays for{told}",
        offer=offer.id,
        told=told,
    )
    return _conditions.document("cost", text)
