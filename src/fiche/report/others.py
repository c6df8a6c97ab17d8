"""Alternatives: every candidate but the first, with the criterion and piece that did it (D2, D10)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.decision import Outcome
from fiche.kernel.finding import Finding, Verdict
from fiche.report import points
from fiche.report.answer import changed
from fiche.report.desk import Desk, joined
from fiche.report.parts import (
    Block,
    Code,
    Items,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Reference,
    Section,
    Words,
)

_MOST = 8


def section(desk: Desk) -> Section:
    """The annex has every candidate; here each in one line, the first ones where they are many."""
    first = desk.decision.chosen or next(iter(desk.decision.outcomes), None)
    others = [one for one in desk.decision.outcomes if one is not first]
    block: Block = Paragraph((Words(desk.word("others_none")),))
    if others:
        left = len(others) - _MOST
        noun = desk.counted("candidates", left)
        more = [desk.say("others_left", n=left, noun=noun)] if left > 0 else []
        block = Items((*(_told(desk, one) for one in others[:_MOST]), *more))
    return Section(id="others", title=desk.word("others_title"), blocks=(block,))


def _told(desk: Desk, outcome: Outcome) -> Parts:
    return desk.say(
        "others_one",
        state=desk.status(outcome.status),
        who=_named(desk, outcome),
        what=joined(list(_what(desk, outcome)), "; "),
        cost=_cost(desk, outcome),
    )


def _named(desk: Desk, outcome: Outcome) -> Parts:
    who = outcome.candidate
    card = Quoted(who.card.name if who.card else who.gpu)
    told = desk.say("cards_named", id=Code(who.id), n=str(who.cards.low), card=card)
    change = changed(desk, who)
    return (*told, *desk.say("aside", told=change)) if change else told


def _cost(desk: Desk, outcome: Outcome) -> Parts:
    if outcome.cost is None:
        return (Missing(desk.word("no_cost" if outcome.candidate.offer else "no_offer")),)
    bill, cost = outcome.bill, (desk.amount(outcome.cost),)
    basis = bill.basis if bill is not None else ""
    return desk.say(f"basis_{basis}", amount=cost) if basis else cost


def _what(desk: Desk, outcome: Outcome) -> Iterator[Parts]:
    failed = [f for f in outcome.findings if f.level == "must" and f.verdict is Verdict.EXCLUDE]
    told: dict[Parts, None] = {}
    for found in failed:
        told[_failure(desk, found)] = None
    if told:
        yield joined(list(told), "; ")
        return
    named = points.names(desk, points.of_outcome(desk, outcome))
    if named:
        yield desk.say("others_open", points=named)
    else:
        yield (Words(desk.word("others_retained")),)


def _failure(desk: Desk, found: Finding) -> Parts:
    reason = desk.legible(found.text)
    if found.reason == "above_capacity":
        need, have = desk.compared(found)
        reason = desk.say("excluded_above", need=need, have=have)
    told = desk.say("excluded_by", requirement=Code(found.requirement), reason=reason)
    if not found.pieces:
        return told
    return (*told, Words(" · "), *joined([Reference(piece) for piece in found.pieces]))
