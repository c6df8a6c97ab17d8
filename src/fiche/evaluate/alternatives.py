"""Every candidate that changes a baseline, as differences from it (D10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.evaluate.anew import anew
from fiche.evaluate.rejudge import Judged
from fiche.evaluate.shifts import loads_by_owner, phases, shift, shifts
from fiche.kernel.alternative import Alternative, Cover, Shift, Turned
from fiche.kernel.comparison import CaseLoad
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Node
from fiche.kernel.finding import Finding, Verdict

_Asked = tuple[str, str, str]


def alternatives(judged: Judged) -> tuple[Alternative, ...]:
    """One for each candidate with a baseline, in the fiche's order."""
    return tuple(_of(judged.decision))


def _of(decision: Decision) -> Iterator[Alternative]:
    outcomes = {one.candidate.id: one for one in decision.outcomes}
    for who in decision.fiche.candidates:
        base = outcomes.get(who.baseline)
        if base is not None and who.change is not None:
            yield _alternative(decision, base, outcomes[who.id])


def _alternative(decision: Decision, base: Outcome, other: Outcome) -> Alternative:
    path, before, after = other.candidate.change or ("", "", "")
    loads = tuple(_loads(decision, base, other))
    turned = tuple(_turned(base, other))
    covers = tuple(_covers(base, other))
    return Alternative(
        candidate=other.candidate.id,
        baseline=base.candidate.id,
        path=path,
        before=before,
        after=after,
        status=(base.status, other.status),
        items=tuple(each for pair in loads for each in shifts(*pair, other.candidate.id)),
        phases=tuple(each for pair in loads for each in phases(*pair, other.candidate.id)),
        useful_margin=_single("useful_margin", base.useful_margin, other.useful_margin, other),
        cost=_single("cost", base.cost, other.cost, other),
        totals=tuple(_totals(base, other)),
        turned=turned,
        kept=len(_asked(other).keys() & _asked(base).keys()) - _both(turned),
        covering=_grouped(covers, holds=True),
        not_covering=_grouped(covers, holds=False),
        anew=anew(other),
    )


def _loads(
    decision: Decision, base: Outcome, other: Outcome
) -> Iterator[tuple[CaseLoad, CaseLoad]]:
    """The load of each case on both sides; nothing where both have the fiche's own."""
    by_owner = loads_by_owner(decision)
    first, second = (by_owner.get(one.candidate.id, by_owner[""]) for one in (base, other))
    if first is not second:
        yield from ((first[case], second[case]) for case in first if case in second)


def _single(name: str, before: Node | None, after: Node | None, other: Outcome) -> Shift | None:
    """Of a number of the candidate; None where both sides lack it, or have the same."""
    if before is None and after is None:
        return None
    told = shift(name, before, after, other.candidate.id)
    same = before is not None and after is not None and before.unit == after.unit
    exact = told.difference is not None and told.difference.low == told.difference.high == 0
    return None if same and exact else told


def _totals(base: Outcome, other: Outcome) -> Iterator[Shift]:
    """The totals of both bills that differ, with their taxes and what a buyer gets back."""
    if base.bill is None or other.bill is None:
        return
    for name in ("before_tax", "after_tax", "payable"):
        told = _single(name, getattr(base.bill, name), getattr(other.bill, name), other)
        if told is not None and told.difference is not None:
            yield told


# --- Verdicts and pieces ------------------------------------------------------------------------


def _asked(outcome: Outcome) -> dict[_Asked, Finding]:
    return {(found.requirement, found.case, found.device): found for found in outcome.findings}


def _turned(base: Outcome, other: Outcome) -> Iterator[Turned]:
    first, second = _asked(base), _asked(other)
    for key in dict.fromkeys((*first, *second)):
        before, after = first.get(key), second.get(key)
        if before is None or after is None or before.verdict is not after.verdict:
            yield _turn(key, before, after)


def _turn(key: _Asked, before: Finding | None, after: Finding | None) -> Turned:
    requirement, case, device = key
    return Turned(
        requirement=requirement,
        case=case,
        device=device,
        before=before.verdict if before else None,
        after=after.verdict if after else None,
        reason=after.reason if after else "",
        text=after.text if after else "",
        topics=tuple(dict.fromkeys(c.topic for c in after.conditions)) if after else (),
    )


def _both(turned: Iterable[Turned]) -> int:
    return sum(each.before is not None and each.after is not None for each in turned)


def _covers(base: Outcome, other: Outcome) -> Iterator[tuple[str, str, bool]]:
    """(piece, requirement, whether it settles that here too) of what settles a verdict of the baseline."""
    here = {key: _settling(found) for key, found in _asked(other).items()}
    for key, found in _asked(base).items():
        for piece in _settling(found):
            yield piece, key[0], piece in here.get(key, ())


def _settling(found: Finding) -> tuple[str, ...]:
    """A piece that leaves a verdict open may tell one side of it, and covers nothing."""
    return () if found.verdict is Verdict.TO_CONFIRM else found.pieces


def _grouped(told: Iterable[tuple[str, str, bool]], *, holds: bool) -> tuple[Cover, ...]:
    """By piece; a requirement of several cases is covered where each of them is."""
    every: dict[tuple[str, str], bool] = {}
    for piece, requirement, here in told:
        every[piece, requirement] = every.get((piece, requirement), True) and here
    found: dict[str, list[str]] = {}
    for (piece, requirement), here in every.items():
        if here is holds:
            found.setdefault(piece, []).append(requirement)
    return tuple(Cover(piece=piece, requirements=tuple(names)) for piece, names in found.items())
