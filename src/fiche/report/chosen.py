"""The choice on page one: who chose what and why, and on which conditions that holds (E1, DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.bill import Bill
from fiche.kernel.choice import AT_DELIVERY, BEFORE_ORDER, Acceptance, Choosing, Mismatch
from fiche.kernel.decision import Outcome
from fiche.kernel.finding import Finding, Verdict
from fiche.report import points
from fiche.report.bill import ordered
from fiche.report.desk import Desk, joined
from fiche.report.parts import (
    Block,
    Callout,
    Code,
    Items,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Words,
)

_WHEN = {BEFORE_ORDER: "choice_before_order", AT_DELIVERY: "choice_at_delivery"}
# What a test at delivery shows where the author names none, by topic.
_TESTS = {"memory_available": "accept_show", "capacity": "accept_show", "need": "accept_run"}


def sentence(desk: Desk) -> Parts:
    """Who chose what and why, and what would have cost less."""
    choice = desk.decision.fiche.choice
    if choice is None:
        return (Words(desk.word("no_choice")),)
    none = choice.chosen in ("", "none")
    told: Parts = (Words(desk.word("chosen"), strong=True),)
    told += (Words(desk.word("chosen_none")),) if none else (Code(choice.chosen),)
    if choice.by:
        told += desk.say("chosen_by", by=Quoted(choice.by))
    if choice.role:
        told += desk.say("chosen_role", role=Quoted(choice.role))
    if choice.because:
        told += desk.say("chosen_because", because=Quoted(_unended(choice.because)))
    return (*told, Words("."), *cheaper(desk))


def order_line(desk: Desk) -> Iterator[Parts]:
    """What to order, of whom, for how much and by when: nothing where it is excluded or has no price."""
    chosen = desk.decision.chosen
    if chosen is None or chosen.bill is None or chosen.status == "excluded":
        return
    who, bill, choice = chosen.candidate, chosen.bill, desk.decision.fiche.choice
    assert who.offer is not None
    order = choice.order if choice is not None else None
    yield (
        Words(desk.word("choice_to_order"), strong=True),
        Quoted(who.card.name if who.card else who.gpu),
        Words(", "),
        *ordered(desk, who.offer, bill),
        Words(": "),
        *comes_to(desk, bill),
        *(desk.say("choice_to_place", day=Code(order.date)) if order and order.date else ()),
        *_price_until(desk, bill),
        Words("."),
    )


def comes_to(desk: Desk, bill: Bill) -> Parts:
    """With tax first: that is what the seller invoices; then before tax, and what this buyer bears."""
    after, before = desk.amount(bill.after_tax), desk.amount(bill.before_tax)
    told = desk.say("choice_comes_to", after=after, before=before)
    if bill.payable is None or bill.after_tax is None or bill.payable.low == bill.after_tax.low:
        return told
    return (*told, *desk.say("choice_borne", payable=desk.amount(bill.payable)))


def _price_until(desk: Desk, bill: Bill) -> Parts:
    if not bill.valid_until:
        return (Words("; "), Missing(desk.word("choice_price_no_day")))
    return desk.say("choice_price_until", day=Code(bill.valid_until))


def _unended(text: str) -> str:
    """A reason without its full stop: the sentence around it has one."""
    return text.removesuffix(".")


def cheaper(desk: Desk) -> Parts:
    """Retained candidates that cost less, each with by how much; nothing where there is none."""
    found = desk.decision.choosing.cheaper if desk.decision.choosing is not None else ()
    told = [
        desk.say(
            "choice_cheaper_by", candidate=Code(c.candidate), difference=desk.amount(c.difference)
        )
        for c in found
    ]
    return desk.say("choice_cheaper", others=joined(told)) if told else ()


def callouts(desk: Desk) -> Iterator[Block]:
    """What a reader must not miss of the choice, before anything else."""
    chosen, found = desk.decision.chosen, desk.decision.choosing
    if chosen is None:
        return
    if desk.decision.conditional_choice:
        excluded = chosen.verdict is Verdict.EXCLUDE
        yield _excluded(desk, chosen) if excluded else _conditional(desk, chosen, found)
    elif found is not None and found.at_order:
        yield _on_the_day(desk, chosen, found)
    if found is not None and found.mismatches:
        lines = tuple(Paragraph(_apart(desk, one)) for one in found.mismatches)
        yield Callout(kind="apart", title=desk.word("choice_apart_title"), blocks=lines)


def _conditional(desk: Desk, chosen: Outcome, found: Choosing | None) -> Callout:
    """Every acceptance condition with its threshold, by when it must be met."""
    lead = desk.say(
        "accept_lead",
        candidate=Code(chosen.candidate.id),
        state=desk.status(chosen.status),
    )
    return Callout(
        kind="conditional",
        title=desk.word("conditional_title"),
        blocks=(Paragraph(lead), *(_accepted(desk, found) if found is not None else ())),
    )


def _accepted(desk: Desk, found: Choosing) -> Iterator[Block]:
    for when, key in _WHEN.items():
        asked = tuple(a for a in found.acceptance if a.when == when)
        if asked:
            lead = (Words(desk.word(key), strong=True), *_by_when(desk, when))
            told = tuple(_acceptance(desk, a, found) for a in asked)
            if all(points.of_condition(desk, a.condition) is not None for a in asked):
                yield Paragraph(desk.say("accept_when", when=lead, points=joined(told, "; ")))
            else:
                yield Paragraph(lead)
                yield Items(told)


def _by_when(desk: Desk, when: str) -> Parts:
    """The day of the order, and the earliest day of delivery, as far as they are on record."""
    choice, chosen = desk.decision.fiche.choice, desk.decision.chosen
    ordered = choice.order.date if choice is not None and choice.order is not None else ""
    if when == BEFORE_ORDER:
        return desk.say("choice_order_day", day=Code(ordered)) if ordered else ()
    day = chosen.schedule.value if chosen is not None and chosen.schedule is not None else ""
    # What is delivered later than it was promised has no day on record.
    return desk.say("choice_delivery_day", day=Quoted(day)) if day >= (ordered or "0") else ()


def _acceptance(desk: Desk, asked: Acceptance, found: Choosing) -> Parts:
    """What, where it turns, who sees to it, by which test; what was asked above is told in short."""
    condition = asked.condition
    first = next(a for a in found.acceptance if a.condition is condition)
    point = points.of_condition(desk, condition)
    if point is not None:
        return _at_point(desk, asked, point, _by(asked, first))
    told: Parts = (Words(f"{desk.topic(condition.topic)}: ", strong=True),)
    if first is asked:
        told += desk.legible(condition.text)
    else:
        told += (Words(desk.word("accept_again")),)
    if condition.threshold and condition.threshold not in condition.text:
        told += desk.say("threshold_is", threshold=desk.legible(condition.threshold))
    test = _test(desk, asked)
    told += desk.say("accept_test", test=test) if test else ()
    by = _by(asked, first)
    return (*told, *(desk.say("by_whom", supplier=Quoted(by)) if by else ()))


def _at_point(desk: Desk, asked: Acceptance, point: points.Point, by: str) -> Parts:
    """An open point by its number: what it is and where it turns stand in the list of points."""
    told = desk.say(
        "accept_point",
        point=points.names(desk, [point]),
        topic=Words(desk.topic(point.topic), strong=True),
    )
    test = _test(desk, asked)
    told += desk.say("accept_test", test=test) if test else ()
    return (*told, *(desk.say("by_whom", supplier=Quoted(by)) if by else ()))


def _by(asked: Acceptance, first: Acceptance) -> str:
    """Who sees to it; a supplier that names a place for each time is named once."""
    return asked.by if first is asked or asked.by != first.by else ""


def _test(desk: Desk, asked: Acceptance) -> Parts:
    if asked.test:
        return (Quoted(asked.test),)
    key = _TESTS.get(asked.condition.topic, "") if asked.when == AT_DELIVERY else ""
    return (Words(desk.word(key)),) if key else ()


def _excluded(desk: Desk, chosen: Outcome) -> Callout:
    """Whatever else is settled, what excludes it stays."""
    lead = desk.say(
        "choice_excluded_lead",
        candidate=Code(chosen.candidate.id),
        state=desk.status(chosen.status),
    )
    failed = tuple(
        desk.say("choice_fails", requirement=Code(f.requirement), reason=_reason(desk, f))
        for f in chosen.findings
        if f.level == "must" and f.verdict is Verdict.EXCLUDE
    )
    return Callout(
        kind="excluded",
        title=desk.word("choice_excluded_title"),
        blocks=(Paragraph(lead), Items(tuple(dict.fromkeys(failed)))),
    )


def _reason(desk: Desk, found: Finding) -> Parts:
    """Two amounts where it turns on them, else its words."""
    if found.reason != "above_capacity":
        return desk.legible(found.text)
    need, have = desk.compared(found)
    return desk.say("excluded_above", need=need, have=have)


def _on_the_day(desk: Desk, chosen: Outcome, found: Choosing) -> Callout:
    """Retained now, and not on the day of the order."""
    fiche = desk.decision.fiche
    order = fiche.choice.order if fiche.choice is not None else None
    lead = desk.say(
        "choice_day_lead",
        candidate=Code(chosen.candidate.id),
        date=Code(fiche.date),
        day=Code(order.date if order is not None else ""),
    )
    listed = tuple(_acceptance(desk, a, found) for a in found.acceptance)
    return Callout(
        kind="day",
        title=desk.word("choice_day_title"),
        blocks=(Paragraph(lead), Items(listed)),
    )


def _apart(desk: Desk, one: Mismatch) -> Parts:
    return desk.say(
        "choice_apart",
        ordered=desk.count(one.ordered),
        what=desk.counted(f"{one.what}_of", int(one.ordered.low)),
        computed=desk.count(one.computed),
    )
