"""The candidates after judgement: ranked, shortlisted or excluded, in that order (D2)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.bill import Bill
from fiche.kernel.decision import Outcome
from fiche.kernel.finding import Verdict
from fiche.kernel.requirement import Candidate
from fiche.report.answer import changed
from fiche.report.desk import Desk, cell, columns, group, joined, row
from fiche.report.parts import Cell, Code, Missing, Parts, Quoted, Row, Section, Table, Words

_STATES = {
    "retained": "retained",
    "unranked": "retained",
    "to_confirm": "to_confirm",
    "excluded": "excluded",
}


def section(desk: Desk) -> Section:
    """One table of groups: each candidate stands in exactly one."""
    table = Table(
        id="candidates",
        caption=desk.word("candidates_caption"),
        columns=columns(
            desk,
            "candidate",
            "rank:narrow",
            "package_cost:number",
            "useful_margin:number",
            "schedule",
            "open_points",
        ),
        rows=tuple(_rows(desk)),
        notes=(desk.say("candidates_note", tie=_ties(desk)),),
    )
    return Section(id="candidates", title=desk.word("candidates_title"), blocks=(table,))


def _ties(desk: Desk) -> Parts:
    tolerance = desk.decision.fiche.policy.tie_tolerance
    if tolerance.high == 0:
        return (Words(desk.word("tie_none")),)
    return desk.say("tie", tolerance=desk.amount(tolerance))


def _rows(desk: Desk) -> Iterator[Row]:
    groups: dict[str, list[Outcome]] = {name: [] for name in _STATES}
    for outcome in desk.decision.outcomes:
        unranked = outcome.status == "retained" and outcome.rank is None
        groups["unranked" if unranked else outcome.status].append(outcome)
    for name, outcomes in groups.items():
        if outcomes:
            heading = desk.say(f"group_{name}", n=len(outcomes))
            yield group(desk.status(_STATES[name]), Words(" — "), *heading)
            yield from (_row(desk, outcome) for outcome in outcomes)


def _row(desk: Desk, outcome: Outcome) -> Row:
    return row(
        named(desk, outcome.candidate),
        _rank(desk, outcome),
        cost_cell(desk, outcome),
        _margin(desk, outcome),
        Quoted(outcome.schedule.value) if outcome.schedule else Missing(desk.word("no_schedule")),
        _open(desk, outcome),
        candidate=outcome.candidate.id,
    )


def named(desk: Desk, who: Candidate) -> Cell:
    """A candidate: id, cards, offer, machine, and the one thing it changes (D10)."""
    card = Quoted(who.card.name if who.card else who.gpu)
    # A number of cards is a name's part here: a mark between `1` and `×` would tear it.
    lines: list[Parts] = [desk.say("cards_named", id=Code(who.id), n=str(who.cards.low), card=card)]
    where: list[Parts] = []
    if who.offer is not None:
        where.append(desk.say("offered", offer=Code(who.offer.id), seller=Quoted(who.offer.seller)))
    if who.machine:
        where.append(desk.say("machine", machine=Code(who.machine)))
    if where:
        lines.append(joined(where, "; "))
    change = changed(desk, who)
    if change:
        lines.append(change)
    return cell(*lines)


def _margin(desk: Desk, outcome: Outcome) -> Cell:
    """The useful margin on the worst case and device, with the stated one beside it (D5)."""
    if outcome.useful_margin is None:
        return cell(Missing(desk.word("no_margin")), numeric=True)
    kept = desk.kept()
    stated = desk.say("kept", kept=kept) if kept else None
    return cell(desk.amount(outcome.useful_margin), stated, numeric=True)


def _rank(desk: Desk, outcome: Outcome) -> Cell:
    if outcome.rank is None:
        return cell(Missing(desk.word("unranked")))
    tied = desk.say("tied", others=joined([Code(name) for name in outcome.tied_with]))
    return cell(Words(str(outcome.rank), strong=True), tied if outcome.tied_with else None)


def cost_cell(desk: Desk, outcome: Outcome) -> Cell:
    """The cost that is compared, on which basis, and what is paid where that is another amount."""
    bill = outcome.bill
    if outcome.cost is not None:
        told: Parts = (desk.amount(outcome.cost),)
        if bill is not None and bill.basis:
            told = desk.say(f"basis_{bill.basis}", amount=told)
        open_ = (Words(desk.word("cost_open")),) if outcome.cost_conditions else None
        return cell(told, _with_tax(desk, bill), _covers(desk, outcome), open_, numeric=True)
    key = "no_cost" if outcome.candidate.offer else "no_offer"
    return cell(Missing(desk.word(key)), numeric=True)


def _covers(desk: Desk, outcome: Outcome) -> Parts | None:
    """To own, or for how many hours: said where both stand in one column, which compares them in nothing."""
    offers = [o.candidate.offer for o in desk.decision.outcomes]
    mine, bill = outcome.candidate.offer, outcome.bill
    if mine is None or len({offer.kind for offer in offers if offer is not None}) < 2:
        return None
    if mine.kind == "buy":
        return (Words(desk.word("cost_to_own")),)
    hours = bill.term.hours if bill is not None else None
    return None if hours is None else desk.say("cost_for_hours", hours=desk.amount(hours))


def _with_tax(desk: Desk, bill: Bill | None) -> Parts | None:
    """What is paid with tax, in the currency of the offer; None where that is what is compared, or untold."""
    if bill is None or bill.after_tax is None or bill.basis == "included":
        return None
    return desk.say("with_tax", amount=desk.amount(bill.after_tax))


def _open(desk: Desk, outcome: Outcome) -> Cell:
    """Topics that are open, or the musts that exclude; the sections below tell them whole."""
    if outcome.verdict is Verdict.EXCLUDE:
        return cell(*_excluding(desk, outcome))
    asked = (*desk.decision.workload_conditions, *outcome.conditions)
    topics = dict.fromkeys(desk.topic(c.topic) for c in asked)
    return cell(joined([Words(t) for t in topics])) if topics else cell(desk.word("no_open_points"))


def _excluding(desk: Desk, outcome: Outcome) -> Iterator[Parts]:
    """The first must that excludes with its two amounts, or its words; then the others by name."""
    failed = [f for f in outcome.findings if f.level == "must" and f.verdict is Verdict.EXCLUDE]
    first = failed[0]
    reason = desk.legible(first.text)
    if first.reason == "above_capacity":
        need, have = desk.compared(first)
        reason = desk.say("excluded_above", need=need, have=have)
        if first.attested_by:
            people = joined([Quoted(name) for name in first.attested_by])
            reason += (Words(", "), *desk.say("on_word", people=people))
    told = desk.say("excluded_by", requirement=Code(first.requirement), reason=reason)
    yield (*told, Words(" · "), *desk.references(first.pieces)) if first.pieces else told
    others = dict.fromkeys(f.requirement for f in failed if f.requirement != first.requirement)
    if others:
        yield desk.say("excluded_too", others=joined([Code(name) for name in others]))
