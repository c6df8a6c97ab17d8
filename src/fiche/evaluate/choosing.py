"""What follows from a choice and the verdicts: acceptance conditions, what contradicts it, what it passes over.

A chosen candidate that is not retained is a conditional choice: each open condition must be met before the
order or at delivery (DESIGN 4). Of an excluded one no condition is made: none could mend it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.evaluate.rejudge import Judged
from fiche.kernel.choice import (
    AT_DELIVERY,
    BEFORE_ORDER,
    Accept,
    Acceptance,
    Cheaper,
    Choice,
    Choosing,
    Mismatch,
    Rejected,
)
from fiche.kernel.condition import Condition
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Figure, Node
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.record import replace
from fiche.kernel.said import tell


def choosing(judged: Judged) -> Choosing | None:
    """What follows from the choice of a fiche; None where it records none."""
    decision = judged.decision
    choice, chosen = decision.fiche.choice, decision.chosen
    if choice is None:
        return None
    undisclosed = tuple(_undisclosed(choice))
    if chosen is None:
        return Choosing(undisclosed=undisclosed, unused=choice.accept)
    late = tuple(_at_order(judged, choice, chosen))
    asked, discount = (*_conditions(decision, chosen), *late), _discount(choice, chosen)
    return Choosing(
        acceptance=tuple(_accepted(choice, asked)),
        at_order=late,
        mismatches=tuple(_mismatches(choice, chosen)),
        undisclosed=undisclosed,
        cheaper=tuple(_cheaper(decision, chosen)),
        rejected=tuple(_rejected(decision)),
        unused=tuple(_unused(choice, asked)),
        discount=discount,
        share=_share(choice, discount),
    )


def _conditions(decision: Decision, chosen: Outcome) -> tuple[Condition, ...]:
    """What is open on the chosen candidate; nothing where it is retained, or excluded whatever is settled."""
    if chosen.status != "to_confirm":
        return ()
    return (*decision.workload_conditions, *chosen.conditions)


# --- When, and by whom ----------------------------------------------------------------------------

# A statement is asked of the seller before the order, and looked at on the machine that is delivered.
_TWICE = frozenset({"memory_available", "capacity"})
# Those who can only run what lies before them: what they settle is settled on the machine delivered.
_RUNNERS = (tell("whoever can run it"), "operator")
_RUN = "record"


def _accepted(choice: Choice, asked: tuple[Condition, ...]) -> Iterator[Acceptance]:
    stated = {accept.topic: accept for accept in choice.accept}
    for condition in asked:
        told = stated.get(condition.topic)
        times = (told.when,) if told and told.when else _when(condition)
        for when in times:
            # Of a condition that is met twice, the person and the test named are those of the second time.
            named = told if when == times[-1] else None
            yield Acceptance(
                condition=condition,
                when=when,
                by=named.by if named and named.by else condition.supplier,
                test=named.test if named else "",
                stated=bool(told and told.when),
            )


def _when(condition: Condition) -> tuple[str, ...]:
    """By who can supply it: a document before the order, a run on the machine at the latest at delivery."""
    if condition.topic in _TWICE:
        return (BEFORE_ORDER, AT_DELIVERY)
    run = _RUN in condition.piece_kind and condition.supplier.startswith(_RUNNERS)
    return (AT_DELIVERY,) if run else (BEFORE_ORDER,)


def _unused(choice: Choice, asked: tuple[Condition, ...]) -> Iterator[Accept]:
    topics = {condition.topic for condition in asked}
    return (accept for accept in choice.accept if accept.topic not in topics)


# --- On the day of the order ----------------------------------------------------------------------


def _at_order(judged: Judged, choice: Choice, chosen: Outcome) -> Iterator[Condition]:
    """What is open on the day of the order, and was not on the decision's: a piece or an offer that ran out."""
    fiche = judged.decision.fiche
    day = choice.order.date if choice.order is not None else ""
    if not day or day <= fiche.date or chosen.status == "excluded":
        return
    then = judged.again(replace(fiche, date=day))
    later = next(o for o in then.outcomes if o.candidate.id == chosen.candidate.id)
    now = {_dateless(c, fiche.date, day) for c in chosen.conditions}
    fresh = [c for c in later.conditions if _dateless(c, fiche.date, day) not in now]
    yield from fresh
    until = _holds_until(chosen)
    told = any(c.topic == "cost" for c in (*fresh, *chosen.conditions))
    if until and until < day and not told:
        yield Condition(
            topic="cost",
            text=tell(
                "renew the offer: it holds until {until}, and the order is of {day}",
                until=until,
                day=day,
            ),
            threshold=tell("valid on {day}", day=day),
            supplier=tell("seller"),
            piece_kind="quote",
        )


def _dateless(condition: Condition, *days: str) -> tuple[str, str]:
    """A condition without the day that it was asked on: the same point asked on two days is one."""
    text = condition.text
    for day in days:
        text = text.replace(day, "")
    return (condition.topic, text)


def _holds_until(chosen: Outcome) -> str:
    """The last day of the price, by its documents or by the offer's row; empty where nobody says."""
    if chosen.bill is not None and chosen.bill.valid_until:
        return chosen.bill.valid_until
    offer = chosen.candidate.offer
    told = offer.facts.get("valid_until") if offer is not None else None
    return told.value if told is not None else ""


# --- What contradicts the choice, and what it passes over -----------------------------------------


def _mismatches(choice: Choice, chosen: Outcome) -> Iterator[Mismatch]:
    """Quantities ordered that the need does not compute; what it leaves open contradicts nothing."""
    order, bill = choice.order, chosen.bill
    if order is None:
        return
    cards = bill.cards if bill is not None and bill.cards is not None else chosen.candidate.cards
    for what, ordered, computed in (
        ("lots", order.lots, bill.lots if bill is not None else None),
        ("cards", order.cards, cards),
    ):
        if ordered is not None and computed is not None and _apart(ordered, computed):
            yield Mismatch(what=what, ordered=ordered, computed=computed)


def _apart(left: Node, right: Node) -> bool:
    below = left.high is not None and left.high < right.low
    above = right.high is not None and right.high < left.low
    return below or above


def _undisclosed(choice: Choice) -> Iterator[str]:
    """People of the decision without a statement of interests, each once; of a bare choice none is asked."""
    if not (choice.interests or choice.opinions or choice.signatures):
        return iter(())
    stated = {interest.by for interest in choice.interests}
    named = (
        choice.by,
        choice.budget_holder,
        *(opinion.by for opinion in choice.opinions),
        *(signatory.name for signatory in choice.signatures),
    )
    return (name for name in dict.fromkeys(named) if name and name not in stated)


def _cheaper(decision: Decision, chosen: Outcome) -> Iterator[Cheaper]:
    """Retained candidates whose cost is below that of the chosen one, cheapest first; both must be known.

    What is open about the chosen one's cost may take as much from it as it adds: nothing is said then.
    """
    if chosen.cost_conditions:
        return
    for other in decision.outcomes:
        cost, less = chosen.cost, other.cost
        if other is chosen or other.status != "retained" or other.cost_conditions:
            continue
        if cost is None or less is None or cost.unit != less.unit or less.high is None:
            continue
        if less.high < cost.low:
            name = other.candidate.id
            label = tell(
                "how much more {chosen} costs than {name}", chosen=chosen.candidate.id, name=name
            )
            yield Cheaper(
                candidate=name, difference=(cost - less).named(f"choice.above.{name}", label)
            )


def _rejected(decision: Decision) -> Iterator[Rejected]:
    """Every must on which an excluded candidate failed, with its distance."""
    for outcome in decision.outcomes:
        for found in outcome.findings if outcome.status == "excluded" else ():
            if found.level == "must" and found.verdict is Verdict.EXCLUDE:
                yield Rejected(
                    candidate=found.candidate,
                    requirement=found.requirement,
                    case=found.case,
                    device=found.device,
                    distance=_distance(found),
                )


def _distance(found: Finding) -> Figure | None:
    """Signed, in the requirement's unit: what there is less what is needed, where both are numbers."""
    if found.margin is not None or found.reason == "proven_failure":
        return found.margin
    need, have = found.need, found.have
    if not isinstance(need, Figure) or not isinstance(have, Figure) or need.unit != have.unit:
        return None
    if need.high is None or have.high is None or not need.unit.powers:
        return None
    place = ".".join(part for part in (found.requirement, found.case, found.device) if part)
    return (have - need).named(
        f"{found.candidate}/{place}.distance", tell("what there is less what is needed")
    )


def _discount(choice: Choice, chosen: Outcome) -> Figure | None:
    """The list price less the price of the offer, where both are told in one currency."""
    listed = choice.price.listed if choice.price is not None else None
    asked = _price(chosen)
    if listed is None or asked is None or listed.unit != asked.unit:
        return None
    return (listed - asked).named("choice.discount", tell("list price less the price of the offer"))


def _share(choice: Choice, discount: Figure | None) -> Figure | None:
    """The discount as a share of the list price; a price above the list has none."""
    listed = choice.price.listed if choice.price is not None else None
    if discount is None or listed is None or discount.low < 0:
        return None
    return (discount / listed).named("choice.discount_share", tell("discount by the list price"))


def _price(chosen: Outcome) -> Figure | None:
    lines = chosen.bill.lines if chosen.bill is not None else ()
    billed = next((line.price for line in lines if line.name == "price"), None)
    offer = chosen.candidate.offer
    if billed is not None or offer is None:
        return billed
    return offer.figures.get("price")
