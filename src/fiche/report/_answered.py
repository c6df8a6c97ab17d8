"""Cells of one answer to a criterion: what was found, how far from the limit, what follows, by which pieces."""

from __future__ import annotations

from fiche.kernel.figure import Figure
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.record import replace
from fiche.kernel.requirement import Requirement
from fiche.report import numbers, points
from fiche.report._costed import share
from fiche.report.desk import Desk, cell, joined
from fiche.report.parts import Amount, Cell, Missing, Part, Parts, Quoted, Reference, State, Words

# Two numbers say why; of a failure the answer above says what it asked for.
_TOLD = frozenset({"above_capacity", "proven_failure"})


def found_cell(desk: Desk, requirement: Requirement, found: Finding) -> Cell:
    """What was found, or which sort of not knowing it is."""
    need, have = desk.compared(found)
    memory = requirement.kind == "memory"
    limited = found.limit_is_had and not memory
    node, words = (found.need, found.need_words) if limited else (found.have, found.have_words)
    if node is None and not words:
        return cell((Missing(_unknown(desk, found)),), numeric=True)
    return cell(need if limited else have, numeric=True)


def _unknown(desk: Desk, found: Finding) -> str:
    """Which sort of not knowing it is (C2)."""
    if found.reason == "conflict":
        return desk.word("unknown_conflict").format(pieces=" ≠ ".join(found.pieces))
    if found.reason == "nothing_required":
        return desk.word("unknown_required")
    return desk.word("unknown_not_stated")


def margin_of(desk: Desk, found: Finding) -> Parts:
    """Signed, with its unit, then in percent of the limit; one mark for both."""
    if found.need_words or found.have_words:
        return (Words(desk.word("dash")),)
    if found.margin is None:
        return (Missing(desk.word("margin_unknown")),)
    margin = _distance(desk, found.margin)
    if found.share is None or not isinstance(margin, Amount):
        return (margin,)
    told = share(desk, found.share, 1)
    part = desk.amount(found.share, f"+{told}" if found.share.low > 0 else told)
    return desk.say(
        "margin_and_share", margin=replace(margin, mark_word="", includes=""), share=part
    )


def _distance(desk: Desk, margin: Figure) -> Part:
    """Days are counted, and are no date."""
    if str(margin.unit) != "date":
        return desk.difference(margin)
    told = numbers.amount(margin, desk.style)
    return desk.amount(margin, f"+{told}" if margin.low > 0 else told)


def state_of(desk: Desk, found: Finding) -> State:
    """Of a must or a want, in its own words."""
    words = desk.language.wants if found.level == "want" else desk.language.verdicts
    return desk.state(found.verdict.code, words)


def why(desk: Desk, found: Finding, asked: tuple[points.Point, ...]) -> Parts:
    """The points that keep it open; why it excludes where two numbers do not say it."""
    if found.verdict is Verdict.ADMISSIBLE or found.reason in _TOLD:
        return ()
    named = points.names(desk, asked)
    if named:
        return (Words(" "), *named)
    if found.verdict is Verdict.TO_CONFIRM and found.conditions:
        return ()  # of an excluded candidate, whose open points no verdict turns on
    told = desk.open_on(found)
    return (Words(": "), *((Words(told),) if told else desk.legible(found.text)))


def on_word(desk: Desk, found: Finding) -> Parts:
    """On whose word it stands; a reason that is told in words names them itself."""
    if found.verdict is Verdict.EXCLUDE and found.reason not in _TOLD:
        return ()
    if not found.attested_by or found.verdict is Verdict.TO_CONFIRM:
        return ()
    people = joined([Quoted(name) for name in found.attested_by])
    return (Words(", "), *desk.say("on_word", people=people))


def pieces_of(desk: Desk, found: Finding) -> Parts:
    """The pieces that it rests on, and the catalog where that decides."""
    told: list[Part] = [Reference(piece) for piece in found.pieces]
    told += [Words(desk.word("from_catalog"))] if found.sources else []
    return joined(told) if told else (Missing(desk.word("no_piece")),)
