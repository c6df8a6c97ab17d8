"""What the whole package of an offer costs: whole lots, whole cards, minimum order and time (D9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.criteria import _conditions
from fiche.criteria._terms import Terms, terms_of
from fiche.criteria._words import number_text
from fiche.kernel.catalog import Offer
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node, Unknown, ceil, either, larger
from fiche.kernel.origin import Stated
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.unit import HOUR, ONE

_CHARGES = ("setup", "storage", "egress")


@record
class Package:
    """`cost` is what a report prints; `at_least` may exclude; `open` says what keeps it from admitting."""

    cost: Figure
    at_least: Figure | None
    open: tuple[Condition, ...]
    conflicts: tuple[str, ...]
    pieces: tuple[str, ...]
    by: tuple[str, ...]

    @property
    def known(self) -> bool:
        """True when nothing is open: only a known cost is ranked (DESIGN 4)."""
        return self.cost.high is not None and not (self.open or self.conflicts)


@record
class _Bought:
    """How much is bought: lots, priced units at one time, periods, and the least that may be charged."""

    lots: Figure | None
    units: Figure
    periods: Figure
    least: Figure


def package(candidate: Candidate, basis: str, ground: Inquiry) -> Package | None:
    """The package's cost on a tax basis (`included`, `excluded`, or empty where none is asked)."""
    offer = candidate.offer
    if offer is None or "price" not in offer.figures:
        return None
    terms = terms_of(offer, candidate, ground)
    bought = _bought(offer, candidate, terms)
    cost = _on_basis(_net(offer, candidate, terms, bought, bought.periods), basis, terms)
    least = _on_basis(_net(offer, candidate, terms, bought, bought.least), basis, terms)
    return Package(
        cost=cost.named(
            f"{candidate.id}.cost",
            "cost of the package",
            left_out=_left_out(offer, candidate, terms, bought),
        ),
        at_least=least if _bounded(basis, terms) else None,
        open=tuple(dict.fromkeys(_open(candidate, offer, basis, terms, bought, ground))),
        conflicts=terms.conflicts,
        pieces=terms.pieces,
        by=terms.by,
    )


def told_basis(candidate: Candidate, ground: Inquiry) -> str:
    """The tax basis that the candidate's offer is priced on; empty where nobody says."""
    offer = candidate.offer
    priced = offer is not None and "price" in offer.figures
    return terms_of(offer, candidate, ground).basis if offer is not None and priced else ""


def _bought(offer: Offer, candidate: Candidate, terms: Terms) -> _Bought:
    lots, units = _units(offer, candidate, terms)
    periods, least = _periods(offer, candidate, terms)
    return _Bought(lots=lots, units=units, periods=periods, least=least)


def _units(offer: Offer, candidate: Candidate, terms: Terms) -> tuple[Figure | None, Figure]:
    """(lots, priced units): enough cards in whole lots, at least the minimum order.

    A price per card is paid for every card of the lots. Where nobody says what the price covers, or
    how many cards a lot holds, both readings stand.
    """
    cards = _plain(candidate.cards)
    order = offer.figures.get("min_order")
    per_lot = offer.figures.get("cards_per_lot")
    if per_lot is None:
        lots = None
        units = cards if terms.covers == "card" or cards.low == 1 else either(1, cards, _CARDS)
        return lots, units if order is None else larger(units, _plain(order))
    lots = ceil(cards / _plain(per_lot))
    lots = lots if order is None else larger(lots, _plain(order))
    if terms.covers == "lot" or per_lot.high == 1:
        return lots, lots
    by_card = lots * _plain(per_lot)
    return lots, by_card if terms.covers == "card" else either(lots, by_card, _COVERS)


_CARDS = "how many cards a lot holds is untold"
_COVERS = "whether the price is for the lot or for one card is untold"


def _plain(count: Figure) -> Figure:
    """A count without its word: cards per lot and lots make no unit of their own."""
    if count.unit == ONE:
        return count
    return count / Figure(low=1, high=1, unit=count.unit, origin=Stated(span=None))


def _periods(offer: Offer, candidate: Candidate, terms: Terms) -> tuple[Figure, Figure]:
    """(periods paid, least that may be paid): whole periods, unless hours may be added to one.

    73 h on a 72-hour lot are two lots; where the terms of extension are untold the least is pro rata.
    """
    once = Figure(low=1, high=1, unit=ONE, origin=Stated(span=None))
    if offer.kind == "buy":
        return once, once
    if terms.hours is None:
        unknown = Unknown(condition=_period(offer), unit=ONE, id="periods", label="periods paid")
        return larger(unknown, 1), once
    share = larger(_hours(offer, candidate, terms.hours) / terms.hours, 1)
    whole = ceil(share)
    if "duration" not in candidate.workload.figures:
        return whole, once
    if terms.extension == "hours":
        return share, share
    return whole, whole if terms.extension == "lots" else share


def _hours(offer: Offer, candidate: Candidate, period: Figure) -> Node:
    """The need in hours, or the minimum time where that is longer; untold, one period at least."""
    needed: Node | None = candidate.workload.figures.get("duration")
    if needed is None:
        needed = Unknown(condition=_duration(), unit=HOUR, id="duration", label="hours needed")
        needed = larger(needed, period)
    return larger(needed, offer.figures["min_time"]) if "min_time" in offer.figures else needed


def _net(
    offer: Offer, candidate: Candidate, terms: Terms, bought: _Bought, periods: Figure
) -> Figure:
    """Price and the charges told beside it, before any change of tax basis."""
    cost = terms.price * bought.units * periods
    for name in _CHARGES:
        charge = _charge(name, offer, candidate, terms, bought)
        cost = cost if charge is None else cost + charge
    return cost


def _charge(
    name: str, offer: Offer, candidate: Candidate, terms: Terms, bought: _Bought
) -> Figure | None:
    """A charge beside the price, as often as it is paid; None where it is untold or not countable."""
    amount = offer.figures.get(name)
    per = offer.facts.get(f"{name}.per")
    if amount is None or per is None or amount.unit != terms.price.unit:
        return None
    times = _times(per.value, candidate, terms, bought)
    return None if times is None else amount * times


def _times(per: str, candidate: Candidate, terms: Terms, bought: _Bought) -> Figure | int | None:
    what, _, hour = per.partition(" ")
    counts: Mapping[str, Figure | int | None] = {
        "order": 1,
        "lot": bought.lots,
        "card": _plain(candidate.cards),
    }
    count = counts.get(what)
    if count is None or not hour:
        return count
    if hour != "hour" or terms.hours is None:
        return None
    return bought.periods * _plain(terms.hours) * count


def _uncounted(offer: Offer, candidate: Candidate, terms: Terms, bought: _Bought) -> Iterator[str]:
    """Charges that are told and not zero, but not countable: the cost is not the package's."""
    for name in _CHARGES:
        amount = offer.figures.get(name)
        charged = amount is not None and amount.high != 0
        if charged and _charge(name, offer, candidate, terms, bought) is None:
            yield name


def _left_out(offer: Offer, candidate: Candidate, terms: Terms, bought: _Bought) -> tuple[str, ...]:
    uncounted = tuple(_uncounted(offer, candidate, terms, bought))
    return tuple(name for name in _CHARGES if name not in offer.figures or name in uncounted)


def _on_basis(net: Figure, basis: str, terms: Terms) -> Figure:
    if not basis or not terms.basis or basis == terms.basis or terms.rate is None:
        return net
    return net * (1 + terms.rate) if basis == "included" else net / (1 + terms.rate)


def _bounded(basis: str, terms: Terms) -> bool:
    """True when the amount is a lower bound on the asked basis: tax adds, and never takes away."""
    if basis == "included" or terms.basis == "excluded":
        return True
    return bool(basis) and (terms.basis == basis or (bool(terms.basis) and terms.rate is not None))


def _open(
    candidate: Candidate,
    offer: Offer,
    basis: str,
    terms: Terms,
    bought: _Bought,
    ground: Inquiry,
) -> Iterator[Condition]:
    yield from _open_quantity(candidate, offer, terms, bought)
    if not terms.quoted:
        yield _conditions.document("cost", f"get a quote that states the price of offer {offer.id}")
    if not basis:
        yield _conditions.document(
            "cost",
            "state whether the budget is before or after tax",
            supplier="author of the fiche",
        )
    elif not terms.basis:
        yield _conditions.document("cost", f"have the seller state whether {offer.id} includes tax")
    elif basis != terms.basis and terms.rate is None:
        yield _conditions.document("cost", f"have the seller state the tax rate of {offer.id}")
    if terms.valid != "yes":
        yield _conditions.document("cost", _validity_text(offer, terms.valid, ground.date))


def _open_quantity(
    candidate: Candidate, offer: Offer, terms: Terms, bought: _Bought
) -> Iterator[Condition]:
    """What keeps the number of lots and periods from being known."""
    if offer.kind != "buy":
        if "duration" not in candidate.workload.figures:
            yield _duration()
        if terms.hours is None:
            yield _period(offer)
        elif terms.hours.low > 1 and bought.periods.low > 1 and not terms.extension_told:
            yield _conditions.document(
                "cost", f"have the seller state how {offer.id} is extended: by lots or by hours"
            )
    if not bought.units.exact:
        yield _conditions.document(
            "cost",
            f"have the seller state what the price of {offer.id} covers, and the cards of a lot",
        )
    for name in _uncounted(offer, candidate, terms, bought):
        yield _conditions.document(
            "cost", f"have the seller state what {name} costs for the whole package of {offer.id}"
        )
    most = offer.figures.get("lots_max")
    if most is not None and bought.lots is not None and bought.lots.low > most.low:
        yield _conditions.document(
            "cost",
            f"{offer.id} has {number_text(most.low)} lots at most: have the seller offer "
            f"{number_text(bought.lots.low)}",
        )


def _duration() -> Condition:
    return Condition(
        topic="duration",
        text="state how many hours the work takes, with the reason",
        supplier="author of the fiche",
        piece_kind="fiche",
    )


def _period(offer: Offer) -> Condition:
    return _conditions.document("cost", f"have the seller state how many hours {offer.id} pays for")


def _validity_text(offer: Offer, valid: str, date: str) -> str:
    if valid == "untold":
        return f"have the seller state until when {offer.id} holds (decision of {date})"
    return f"renew {offer.id}: it does not hold on {date} ({valid})"
