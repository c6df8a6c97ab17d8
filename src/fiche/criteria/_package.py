"""What the whole package of an offer costs: whole lots, whole cards, minimum order and time (D9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.criteria import _conditions
from fiche.criteria._bought import Bought, bought_of, covered, duration, period, plain
from fiche.criteria._terms import Terms, terms_of
from fiche.criteria._words import number_text
from fiche.kernel.catalog import Offer
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate

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


def package(candidate: Candidate, basis: str, ground: Inquiry) -> Package | None:
    """The package's cost on a tax basis (`included`, `excluded`, or empty where none is asked)."""
    offer = candidate.offer
    if offer is None or "price" not in offer.figures:
        return None
    terms = terms_of(offer, candidate, ground)
    bought = bought_of(offer, candidate, terms)
    cost = _on_basis(_net(offer, terms, bought, bought.periods), basis, terms)
    least = _on_basis(_net(offer, terms, bought, bought.least), basis, terms)
    return Package(
        cost=cost.named(
            f"{candidate.id}.cost",
            "cost of the package",
            left_out=_left_out(offer, terms, bought),
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


def _net(offer: Offer, terms: Terms, bought: Bought, periods: Figure) -> Figure:
    """Price and the charges told beside it, before any change of tax basis."""
    cost = terms.price * bought.units * periods
    for name in _CHARGES:
        charge = _charge(name, offer, terms, bought, periods)
        cost = cost if charge is None else cost + charge
    return cost


def _charge(
    name: str, offer: Offer, terms: Terms, bought: Bought, periods: Figure
) -> Figure | None:
    """A charge beside the price, as often as it is paid; None where it is untold or not countable."""
    amount = offer.figures.get(name)
    per = offer.facts.get(f"{name}.per")
    if amount is None or per is None or amount.unit != terms.price.unit:
        return None
    times = _times(per.value, terms, bought, periods)
    return None if times is None else amount * times


def _times(per: str, terms: Terms, bought: Bought, periods: Figure) -> Figure | int | None:
    what, _, hour = per.partition(" ")
    counts: Mapping[str, Figure | int | None] = {
        "order": 1,
        "lot": bought.lots,
        "card": bought.cards,
    }
    count = counts.get(what)
    if count is None or not hour:
        return count
    if hour != "hour" or terms.hours is None:
        return None
    return periods * plain(terms.hours) * count


def _uncounted(offer: Offer, terms: Terms, bought: Bought) -> Iterator[str]:
    """Charges that are told and not zero, but not countable: the cost is not the package's."""
    for name in _CHARGES:
        amount = offer.figures.get(name)
        charged = amount is not None and amount.high != 0
        found = _charge(name, offer, terms, bought, bought.periods)
        if charged and found is None:
            yield name


def _left_out(offer: Offer, terms: Terms, bought: Bought) -> tuple[str, ...]:
    uncounted = tuple(_uncounted(offer, terms, bought))
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
    bought: Bought,
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
    candidate: Candidate, offer: Offer, terms: Terms, bought: Bought
) -> Iterator[Condition]:
    """What keeps the number of lots and periods from being known."""
    if offer.kind != "buy":
        if "duration" not in candidate.workload.figures:
            yield duration()
        if terms.hours is None:
            yield period(offer)
        elif terms.hours.low > 1 and bought.periods.low > 1 and not terms.extension_told:
            yield _conditions.document(
                "cost", f"have the seller state how {offer.id} is extended: by lots or by hours"
            )
    if not bought.units.exact:
        yield covered(offer)
    for name in _uncounted(offer, terms, bought):
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


def _validity_text(offer: Offer, valid: str, date: str) -> str:
    if valid == "untold":
        return f"have the seller state until when {offer.id} holds (decision of {date})"
    return f"renew {offer.id}: it does not hold on {date} ({valid})"
