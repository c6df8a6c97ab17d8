"""One plan worked out: owning, each rental against it, and on what the answer hangs."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _conditions
from fiche.criteria._stale import reasons
from fiche.evaluate._break_evens import (
    at_stated_energy,
    break_even,
    crossing,
    energy_an_hour,
    first_year,
)
from fiche.evaluate._frame import Frame
from fiche.evaluate._ground import ground_of
from fiche.evaluate._money import Money
from fiche.evaluate._owning import owned
from fiche.evaluate._renting import open_terms, priced, rental
from fiche.evaluate._thresholds import Sides, flips
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Figure, total
from fiche.kernel.origin import Declared
from fiche.kernel.ownership import Crossing, Owned, Ownership, Plan, Rental
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.simulation import SIMULATION

_GEFORCE = "geforce"


def compared(plan: Plan, decision: Decision) -> Ownership:
    """Work a plan out; candidates are read as they are judged, and nothing of it judges them."""
    outcomes = {outcome.candidate.id: outcome for outcome in decision.outcomes}
    buy, ground = outcomes[plan.buy], _ground(decision)
    named = (outcomes[name].candidate.offer for name in (plan.buy, *plan.rent))
    prices = (offer.figures.get("price") for offer in named if offer is not None)
    first = next((price for price in prices if price is not None), None)
    frame = Frame.of(plan, Money.of(decision.fiche.purchase, first))
    capex = priced(buy.candidate, None, frame, ground)
    asked = [*_above(capex, frame)]
    bought = None
    if capex is not None and capex.exact and not asked:
        bought = _bought(buy, capex, frame, ground)
    else:
        asked += open_terms(buy.candidate, None, frame, ground)
    rented = {name: rental(outcomes[name].candidate, frame, ground) for name in plan.rent}
    told = [each for each in rented.values() if each is not None]
    missing = tuple(name for name, found in rented.items() if found is None)
    for name in missing:
        asked += open_terms(outcomes[name].candidate, frame.rented_hours, frame, ground)
    return Ownership(
        plan=plan,
        basis="undiscounted" if frame.by_worth is None else "discounted",
        owned=bought,
        rentals=tuple(told if bought is None else (_against(r, bought, buy, frame) for r in told)),
        missing=missing,
        conditions=tuple(dict.fromkeys(asked)),
        omitted=tuple(_omitted(plan, buy, [outcomes[name] for name in plan.rent])),
    )


def _ground(decision: Decision) -> Inquiry:
    """What a price is read with: the pieces of the fiche at its date. No load, no maker."""
    fiche = decision.fiche
    cited = (piece for piece in fiche.pieces if piece.reading.kind != SIMULATION)
    return ground_of(fiche, sorted(cited, key=lambda piece: piece.id))


def _above(capex: Figure | None, frame: Frame) -> Iterator[Condition]:
    """A value at the end above the price, once tax is taken off and currencies are one."""
    back = frame.told("residual", frame.money.unit)
    if capex is not None and capex.exact and isinstance(back, Figure) and back.low > capex.low:
        yield Condition(
            topic="ownership",
            text=tell(
                "state 'residual' of plan '{plan}' anew: it is above the price before tax",
                plan=frame.plan.id,
            ),
            supplier=tell("author of the fiche"),
            piece_kind="fiche",
        )


def _bought(buy: Outcome, capex: Figure, frame: Frame, ground: Inquiry) -> Owned:
    named = capex.named(
        f"{frame.owner}.capex", tell("price of everything that is bought, before tax")
    )
    found = owned(buy.candidate, named, frame)
    terms = open_terms(buy.candidate, None, frame, ground)
    return replace(found, conditions=(*found.conditions, *terms, *_stale(frame.plan, buy, ground)))


def _stale(plan: Plan, buy: Outcome, ground: Inquiry) -> Iterator[Condition]:
    """Documents of inputs that are out of date: their numbers stand, and it is said that they are old."""
    used = {f.origin.by for f in plan.figures.values() if isinstance(f.origin, Declared)}
    for piece in ground.pieces:
        why = tuple(reasons(piece, "ownership", buy.candidate, ground)) if piece.id in used else ()
        if why:
            yield _conditions.stale(piece.id, why)


# --- One rental -----------------------------------------------------------------------------------


def _against(rent: Rental, own: Owned, buy: Outcome, frame: Frame) -> Rental:
    owner, told = f"{frame.owner}.{rent.candidate}", frame.plan.figures
    energy = energy_an_hour(buy.candidate, frame)
    crossed = crossing(own, rent, owner, told.get("years"))
    found = replace(
        rent,
        more=_more(rent.undiscounted, own.undiscounted, f"{owner}.more"),
        more_discounted=_more(rent.discounted, own.discounted, f"{owner}.more_discounted"),
        answer=_answer(rent.undiscounted, own.undiscounted),
        answer_discounted=_answer(rent.discounted, own.discounted),
        break_even=break_even(own.per_year, rent, energy, f"{owner}.break_even", frame),
        at_stated_energy=at_stated_energy(own, rent, owner),
        crossing=crossed if isinstance(crossed, Crossing) else None,
        crossing_never=crossed if isinstance(crossed, str) else "",
        first_year=first_year(own, rent, owner, told.get("discount_rate"), told.get("years")),
        headroom=_headroom(own, rent, frame),
    )
    ways = [frame.undiscounted, *([] if frame.by_worth is None else [frame.by_worth])]
    sides = tuple(
        Sides(
            candidate=buy.candidate,
            own=own,
            rent=found,
            frame=frame,
            energy=energy,
            over=way,
            suffix="" if way.last is None else ".discounted",
        )
        for way in ways
    )
    return replace(found, flips=flips(sides))


def _more(rent: Figure | None, own: Figure | None, name: str) -> Figure | None:
    """Rent less owning, where both are known: below zero renting is cheaper."""
    if rent is None or own is None or rent.high is None or own.high is None:
        return None
    return (rent - own).named(name, tell("what renting costs more than owning"))


def _answer(rent: Figure | None, own: Figure | None) -> str:
    if rent is None or own is None:
        return ""
    if own.high is not None and own.high < rent.low:
        return "buy"
    if rent.high is not None and rent.high < own.low:
        return "rent"
    return "equal" if own.exact and rent.exact and own.low == rent.low else "open"


def _headroom(own: Owned, rent: Rental, frame: Frame) -> Figure | None:
    """What the untold costs may come to a year: rent less what is told of owning."""
    if (
        own.per_year.high is not None
        or not rent.per_year.exact
        or own.per_year.low >= rent.per_year.low
    ):
        return None
    told = [line for line in own.lines if isinstance(line.per_year, Figure) and line.per_year.exact]
    names = {line.name for line in told}
    if not {"purchase", "residual"} <= names:
        return None
    costs = [line.per_year for line in told if line.name != "residual"]
    back = next(line.per_year for line in told if line.name == "residual")
    summed = total(costs, frame.money.unit)
    if summed.low - back.low > rent.per_year.low:
        return None
    found = rent.per_year - (summed - back)
    return found.named(
        f"{frame.owner}.{rent.candidate}.headroom", tell("a year, for all that is untold")
    )


# --- What is often left out -----------------------------------------------------------------------


def _omitted(plan: Plan, buy: Outcome, rent: list[Outcome]) -> Iterator[str]:
    """Points of which neither a figure, an offer nor a word of the plan speaks (catalog 6)."""
    told = {*plan.figures, *(key.removeprefix("considered.") for key in plan.facts)}
    offers = [one.candidate.offer for one in rent]
    of_all = "per" in plan.facts and plan.facts["per"].value == "all"
    if "host_power" not in told and "load" in told and not of_all:
        yield "host_power"
    if "egress" not in told and any(o is None or "egress" not in o.figures for o in offers):
        yield "egress"
    if "lead_time" not in told and buy.schedule is None:
        yield "lead_time"
    residual = plan.figures.get("residual")
    promised = residual is not None and isinstance(residual.origin, Declared)
    if "resale" not in told and not promised and (residual is None or residual.low):
        yield "resale"
    if "licences" not in told:
        yield "licence_terms"
    card = buy.candidate.card
    if "driver_terms" not in told and card is not None and _GEFORCE in card.name.casefold():
        yield "driver_terms"
