"""What renting costs for the same years, on the offer's own billing: whole periods, minimums, charges (D9)."""

from __future__ import annotations

from fractions import Fraction

from fiche.criteria import _conditions
from fiche.criteria._exchange import exchange
from fiche.criteria._package import Package, package
from fiche.criteria._stale import aged
from fiche.criteria._terms import terms_of
from fiche.evaluate._frame import Frame
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.currency import currency_of
from fiche.kernel.figure import Figure, Number, bare, ceil, either, larger
from fiche.kernel.ownership import Rental, Steps
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell

# Costs of a plan are compared before tax: what of it is recovered is the buyer's own matter.
BASIS = "excluded"


_UNTOLD = tell("the least that the offer's own terms allow, and what whole periods come to")


def priced(
    candidate: Candidate, hours: Figure | None, frame: Frame, ground: Inquiry
) -> Figure | None:
    """The package's cost before tax for so many hours, in the plan's currency; None where nobody says it.

    An interval where the terms of extension are untold: whole periods at most.
    """
    bought = _package(candidate, hours, ground)
    if bought is None or bought.at_least is None or bought.conflicts:
        return None
    cost, least = bought.cost, bought.at_least
    told = cost if least.low == cost.low else either(least, cost, _UNTOLD)
    found = frame.money.converted(told)
    return found if isinstance(found, Figure) else None


def open_terms(
    candidate: Candidate, hours: Figure | None, frame: Frame, ground: Inquiry
) -> tuple[Condition, ...]:
    """What keeps that cost from being known."""
    bought = _package(candidate, hours, ground)
    if bought is None:
        return ()
    way = exchange(currency_of(bought.cost.unit), frame.money.currency, ground)
    rate = (one for one in (way.open, way.guess) if one is not None)
    conflicts = (_conditions.conflict(text) for text in bought.conflicts)
    return (*conflicts, *bought.open, *rate)


def _package(candidate: Candidate, hours: Figure | None, ground: Inquiry) -> Package | None:
    """The package on the basis of a plan, whose hours are its question however they are told."""
    load = candidate.workload
    if hours is not None:
        load = replace(load, figures={**load.figures, "duration": hours}, work=None)
    told = aged("cost", replace(candidate, workload=load), ground)
    return package(told.candidate, BASIS, replace(told.ground, assume=True))


def rental(candidate: Candidate, frame: Frame, ground: Inquiry) -> Rental | None:
    """Renting year by year; None where no price is told."""
    owner = f"{frame.owner}.{candidate.id}"
    hours = frame.rented_hours
    cost = priced(candidate, hours, frame, ground)
    if cost is None:
        return None
    yearly = cost.named(f"{owner}.rent_per_year", tell("renting, a year"))
    later = None if frame.by_worth is None else yearly * frame.by_worth.sum
    paid = bare(candidate.cards) * frame.used_hours
    return Rental(
        candidate=candidate.id,
        cards=candidate.cards,
        rented_hours=hours,
        per_year=yearly,
        per_hour=(yearly / paid).named(
            f"{owner}.rent_per_hour", tell("renting, a card and useful hour")
        ),
        undiscounted=(yearly * frame.undiscounted.sum).named(
            f"{owner}.rent", tell("renting, all years")
        ),
        discounted=(
            None
            if later is None
            else later.named(f"{owner}.rent_discounted", tell("renting, all years, discounted"))
        ),
        steps=_steps(candidate, hours, yearly, frame, ground),
        conditions=open_terms(candidate, hours, frame, ground),
    )


def _steps(
    candidate: Candidate, hours: Figure, cost: Figure, frame: Frame, ground: Inquiry
) -> Steps | None:
    """How a year's rent grows, read off the offer itself: what so many periods cost, and one more."""
    offer, owner = candidate.offer, f"{frame.owner}.{candidate.id}"
    if offer is None:
        return None
    terms = terms_of(offer, candidate, ground)
    if terms.hours is None or not terms.hours.exact:
        return None
    period, whole = terms.hours, terms.extension != "hours"
    share = offer.figures.get("min_time", terms.hours) / terms.hours
    least = larger(ceil(share) if whole else share, 1).named(
        f"{owner}.least_periods", tell("periods that are paid at least")
    )
    few, more = (
        _of_periods(candidate, count, f"{owner}.rent", period, frame, ground)
        for count in (ceil(least).low, ceil(least).low + 1)
    )
    if few is None or more is None or more.low < few.low:
        return None
    one = (more - few).named(f"{owner}.one_period", tell("renting, one period more"))
    if few.low < one.low * ceil(least).low:
        return None
    base = (few - one * ceil(least)).named(
        f"{owner}.rent_base", tell("renting, beside the periods")
    )
    found = Steps(base=base, one=one, period=period, least=least, whole=whole)
    return found if cost.exact and rent_of(found, hours.low) == cost.low else None


def rent_of(steps: Steps, hours: Number) -> Fraction:
    """The rent of one year by its steps."""
    share = max(Fraction(hours) / Fraction(steps.period.low), Fraction(steps.least.low))
    return steps.base.low + Fraction(steps.one.low) * (share.__ceil__() if steps.whole else share)


def _of_periods(
    candidate: Candidate, count: Number, name: str, period: Figure, frame: Frame, ground: Inquiry
) -> Figure | None:
    cost = priced(candidate, period * count, frame, ground)
    if cost is None or not cost.exact:
        return None
    return cost.named(f"{name}_of_{count}", tell("renting, periods: {count}", count=str(count)))
