"""Where the number comes from: what is available, what is needed, what stays, and all on one scale (B8)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.decision import Outcome
from fiche.kernel.finding import Finding
from fiche.kernel.record import replace
from fiche.report._capacity_words import in_short
from fiche.report._needs import MOST_NEEDS, asked
from fiche.report.capacities import picture
from fiche.report.desk import Desk, joined
from fiche.report.need import worst_must
from fiche.report.parts import Block, Code, Paragraph, Parts, Section, Words


def section(desk: Desk) -> Section:
    """The arithmetic of the candidate that is chosen, or else of the first one; the picture has all of them."""
    told = tuple(_told(desk))
    none = Paragraph((Words(desk.word("origin_none")),))
    return Section(id="origin", title=desk.word("origin_title"), blocks=told or (none,))


def _told(desk: Desk) -> Iterator[Block]:
    lead = _lead(desk)
    if lead is None:
        return
    outcome, found = lead
    who = (Code(outcome.candidate.id),)
    if found.margin is not None and found.need is not None:
        yield Paragraph((*_arithmetic(desk, who, found), Words(".")))
    drawn = picture(desk)
    if drawn is not None:
        groups = asked(desk)
        shown, left = groups[:MOST_NEEDS], len(groups[MOST_NEEDS:])
        yield replace(drawn, caption=in_short(desk, shown, left))


def _lead(desk: Desk) -> tuple[Outcome, Finding] | None:
    outcomes = desk.decision.outcomes
    chosen = desk.decision.chosen
    ordered = (*((chosen,) if chosen is not None else ()), *outcomes)
    told = ((one, worst_must(one)) for one in ordered)
    return next(((o, f) for o, f in told if f is not None and f.need is not None), None)


def _arithmetic(desk: Desk, who: Parts, found: Finding) -> Parts:
    need, have = desk.compared(found)
    assert found.margin is not None
    told = desk.say(
        "origin_arithmetic",
        who=who,
        available=have,
        need=(*need, *_case(desk, found)),
        margin=desk.amount(found.margin),
    )
    kept = desk.kept()
    return (*told, Words("; "), *desk.say("origin_kept", kept=kept)) if kept else told


def _case(desk: Desk, found: Finding) -> Parts:
    named = joined([Code(one) for one in (found.case, found.device) if one])
    return desk.say("aside", told=named) if named else ()
