"""From comparisons to findings, and the second reading with assumptions let in."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _conditions
from fiche.criteria._stale import CATALOG, aged
from fiche.criteria._words import figure_text
from fiche.evaluate.near import guarded, near_limit
from fiche.evaluate.rule import Row, judge
from fiche.evaluate.staleness import leaned_on, with_stale
from fiche.kernel import trace
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.figure import Figure, total
from fiche.kernel.finding import Finding, SecondReading, Verdict
from fiche.kernel.origin import Assumed
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell

NEAR = "near_limit"


def judged(
    criterion: Criterion, requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> Iterator[Finding]:
    """The findings of one requirement on one candidate, on firm bounds."""
    seen = aged(criterion.name, candidate, ground)
    now = _compared(criterion, requirement, seen.candidate, seen.ground)
    told = (_finding(criterion, requirement, candidate, one, judge(one)) for one in now)
    if not seen.left:
        yield from told
        return
    before = _compared(criterion, requirement, candidate, ground)
    for found, one, with_all in zip(told, now, before, strict=True):
        every = _finding(criterion, requirement, candidate, with_all, judge(with_all))
        yield with_stale(found, every, leaned_on(seen.left, with_all, one))


def _compared(
    criterion: Criterion, requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """What the criterion gathers, with what contradicts itself and with the band its limit is kept at."""
    return tuple(
        guarded(_contradicting(one), criterion.name, ground.policy)
        for one in _asked(criterion, requirement, candidate, ground)
    )


def _asked(
    criterion: Criterion, requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """A want that states no threshold requires nothing, and says so; a must always has one (F314)."""
    keys = (*requirement.figures, *requirement.facts, *requirement.choices)
    told = {key.partition(".")[0] for key in keys}  # `baseline.piece` stands under `baseline`
    if all(told.intersection(group) for group in criterion.needs) or requirement.implied:
        return criterion.compare(requirement, candidate, ground)
    lacking = _conditions.unstated(criterion.name, criterion.needs)
    return (Comparison(required=False, conditions=(lacking,)),)


def _contradicting(comparison: Comparison) -> Comparison:
    """A yes and a no in one scope contradict each other, whichever criterion gathered them."""
    answers = {claim.answer: claim for claim in comparison.claims}
    if "yes" not in answers or "no" not in answers:
        return comparison
    yes, no = (answers[word].piece or CATALOG for word in ("yes", "no"))
    text = tell("{piece} confirms and {other} refuses it", piece=yes, other=no)
    return replace(comparison, conflicts=(*comparison.conflicts, text))


def _finding(
    criterion: Criterion,
    requirement: Requirement,
    candidate: Candidate,
    comparison: Comparison,
    row: Row,
) -> Finding:
    found = Finding(
        requirement=requirement.id,
        kind=requirement.kind,
        level=requirement.level,
        candidate=candidate.id,
        verdict=row.verdict,
        reason=_reason(comparison, row),
        text=_text(comparison, row),
        need=comparison.need_shown,
        have=comparison.have_shown,
        need_words=comparison.need_words,
        have_words=comparison.have_words,
        margin=comparison.useful_margin,
        conditions=_conditions_of(comparison, row),
        pieces=comparison.pieces,
        attested_by=comparison.attested_by,
        case=comparison.case,
        device=comparison.device,
        comparison=comparison,
        guard=comparison.guard if row.reason == NEAR else None,
        sources=comparison.sources,
        expects=_expects(criterion, requirement, comparison, row),
    )
    return replace(found, share=_share(found))


def _share(found: Finding) -> Figure | None:
    """The margin as a ratio of the limit; none of a day, and none of what is not above zero."""
    limit = found.have if found.limit_is_had else found.need
    margin = found.margin
    if margin is None or limit is None or limit.low <= 0 or str(limit.unit) == "date":
        return None
    if limit.high is None or margin.high is None:
        return None
    if margin.low >= 0:
        return margin / limit
    if margin.high > 0:
        return None
    beyond = total((), margin.unit) - margin  # no quotient is taken of what is below zero
    return 0 - beyond / limit


# Open for another reason than a piece that is missing.
_NO_PIECE = frozenset({"conflict", "nothing_required"})


def _expects(
    criterion: Criterion, requirement: Requirement, comparison: Comparison, row: Row
) -> str:
    """The kind of piece that would settle it: in the author's words, else in those of the criterion."""
    if row.verdict is not Verdict.TO_CONFIRM or row.reason in _NO_PIECE:
        return ""
    kinds = {condition.piece_kind for condition in comparison.conditions}
    if kinds == {_conditions.FICHE}:
        return ""
    told = requirement.facts.get("piece")
    return told.value if told is not None else criterion.expects


def _reason(comparison: Comparison, row: Row) -> str:
    below = row.reason == "conflict" and all(
        "below the computed floor" in c for c in comparison.conflicts
    )
    return "below_floor" if below else row.reason


def _text(comparison: Comparison, row: Row) -> str:
    if row.reason == "conflict":
        conflicts = listed(comparison.conflicts, "; ")
        return tell("{verdict}: {details}", verdict=row.text, details=conflicts)
    if row.verdict is Verdict.TO_CONFIRM:
        return _near(comparison, row)
    text = _said(comparison, row)
    if comparison.attested_by:
        people = listed(comparison.attested_by)
        text = tell("{verdict}, on the word of {people}", verdict=text, people=people)
    if comparison.noted:
        noted = listed(comparison.noted, "; ")
        text = tell("{verdict} (noted: {noted})", verdict=text, noted=noted)
    return text


def _said(comparison: Comparison, row: Row) -> str:
    """What decides, named: a row of the catalog is no piece of the fiche."""
    if not comparison.sources:
        return row.text
    sources = listed(comparison.sources, "; ")
    if row.verdict is Verdict.EXCLUDE:
        return tell("the catalog refuses it ({sources})", sources=sources)
    return tell("the catalog confirms it ({sources})", sources=sources)


def _near(comparison: Comparison, row: Row) -> str:
    """Why what is told settles nothing: the guard band, or a standard error that reaches over the threshold."""
    if row.reason == NEAR and comparison.guard is not None:
        band = figure_text(comparison.guard)
        return tell("{verdict} ({band})", verdict=row.text, band=band)
    if row.reason != "overlap":
        return row.text
    told = dict.fromkeys(c.text for c in comparison.conditions if c.topic == "quality")
    details = listed(told, "; ")
    return tell("{verdict}: {details}", verdict=row.text, details=details) if told else row.text


def _conditions_of(comparison: Comparison, row: Row) -> tuple[Condition, ...]:
    """What would settle a *to confirm*; a settled comparison has nothing open."""
    if row.verdict is not Verdict.TO_CONFIRM:
        return ()
    conflicts = tuple(_conditions.conflict(text) for text in comparison.conflicts)
    guard = comparison.guard if row.reason == NEAR else None
    near = () if guard is None else (near_limit(guard, comparison.spread),)
    found = (*conflicts, *near, *comparison.conditions)
    return tuple(dict.fromkeys(found)) or (_conditions.narrower(),)


def supposing(
    criterion: Criterion,
    requirement: Requirement,
    candidate: Candidate,
    firmly: tuple[Finding, ...],
    guessing: Inquiry,
) -> tuple[Finding, ...]:
    """The same findings; each *to confirm* with what is compared once assumptions are let in."""
    if all(finding.verdict is not Verdict.TO_CONFIRM for finding in firmly):
        return firmly
    seen = aged(criterion.name, candidate, guessing)
    comparisons = _compared(criterion, requirement, seen.candidate, seen.ground)
    return tuple(
        replace(finding, supposed=one) if finding.verdict is Verdict.TO_CONFIRM else finding
        for finding, one in zip(firmly, comparisons, strict=True)
    )


def second_readings(found: tuple[Finding, ...]) -> Iterator[SecondReading]:
    """Judge once more with assumptions let in; only a *to confirm* may turn, and never a conflict."""
    for finding in found:
        comparison = finding.supposed
        row = None if comparison is None else judge(comparison, assume=True)
        if comparison is not None and row is not None and row.verdict is not Verdict.TO_CONFIRM:
            held = comparison.if_held or _guesses(comparison)
            yield SecondReading(finding=finding, would_be=row.verdict, if_held=held)


def _guesses(comparison: Comparison) -> tuple[str, ...]:
    """The assumptions under both sides, where the criterion does not name them itself."""
    sides = (comparison.need_low, comparison.need_high, comparison.have_low, comparison.have_high)
    found = [guess for side in sides if side is not None for guess in trace.assumptions(side)]
    return tuple(
        dict.fromkeys(
            tell(
                "{name} = {value}, assumed by {person}: {reason}",
                name=guess.id or guess.label,
                value=figure_text(guess),
                person=guess.origin.by,
                reason=guess.origin.because,
            )
            for guess in found
            if isinstance(guess.origin, Assumed)
        )
    )
