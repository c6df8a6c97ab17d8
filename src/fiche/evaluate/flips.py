"""The smallest sets of steps that turn a candidate: that retain it, and that exclude it (D1).

A set is sufficient because every open condition that decides has one of its ways in it, and smallest because
each of its steps is the only way in it of some condition. The search is exact up to a bound, which is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, product

from fiche.evaluate.settlement import open_of, refusals
from fiche.evaluate.steps import Open, Plan
from fiche.kernel.condition import Condition
from fiche.kernel.decision import Outcome
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.settling import MEASUREMENT, Flips

# Choices of one way a condition that are looked at for one candidate.
MOST = 4096
_SHOWN = 8
# Conditions that exclude together are few, and most have one way.
_LISTED = 64


def flips_of(plan: Plan) -> tuple[Flips, ...]:
    """One entry a candidate, in the decision's order; a retained one has no set that retains it."""
    return tuple(_flips(plan, outcome) for outcome in plan.decision.outcomes)


def _flips(plan: Plan, outcome: Outcome) -> Flips:
    who = outcome.candidate.id
    if outcome.verdict is Verdict.EXCLUDE:
        return Flips(candidate=who, status=outcome.status, excluded_by=_proven(outcome))
    mine = [one for one in (*plan.of.get("", ()), *plan.of.get(who, ())) if one.decides]
    sets, is_cut = _covers(mine)
    return Flips(
        candidate=who,
        status=outcome.status,
        retain=tuple(sets[:_SHOWN]),
        exclude=_smallest(_against(plan, who)),
        is_cut=is_cut or len(sets) > _SHOWN,
    )


def _proven(outcome: Outcome) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What excludes it, each requirement with the pieces that it rests on."""
    found: dict[str, dict[str, None]] = {}
    for finding in outcome.findings:
        if finding.level == "must" and finding.verdict is Verdict.EXCLUDE:
            found.setdefault(finding.requirement, {}).update(dict.fromkeys(finding.pieces))
    return tuple((name, tuple(pieces)) for name, pieces in found.items())


def _against(plan: Plan, who: str) -> Iterable[tuple[str, ...]]:
    """The steps that a refusal of some must takes: one way of each condition of it."""
    ways: dict[int, dict[Condition, tuple[str, ...]]] = {}
    findings: dict[int, Finding] = {}
    for one in plan.of.get(who, ()):
        if one.level == "must" and one.finding is not None:
            findings[id(one.finding)] = one.finding
            ways.setdefault(id(one.finding), {})[one.condition] = one.ways
    for key, finding in findings.items():
        if finding.comparison is None:
            continue
        for refusal in refusals(finding.comparison, open_of(finding)):
            for steps in islice(product(*(ways[key][one] for one in refusal)), _LISTED):
                named = _identity(plan, finding, refusal, steps)
                yield tuple(dict.fromkeys((*named, *steps)))


def _identity(
    plan: Plan, finding: Finding, refusal: Iterable[Condition], steps: Iterable[str]
) -> Iterator[str]:
    """What names the model, where a piece has to be of it: a run of no model covers nothing (A1)."""
    strict = plan.decision.fiche.policy.strict.get(finding.kind, ())
    if finding.kind != "cost" and not any(path.startswith("model.") for path in strict):
        return
    for condition, step in zip(refusal, steps, strict=True):
        measured = plan.steps[step].kind == MEASUREMENT and condition.topic != "memory_available"
        if measured or condition.topic == "quality":
            yield from (one.ways[0] for one in plan.of.get("", ()))


def _smallest(sets: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Each once, without those that hold another."""
    found = {one: frozenset(one) for one in sets}
    return tuple(
        one for one, steps in found.items() if not any(other < steps for other in found.values())
    )


def _covers(opens: list[Open]) -> tuple[list[tuple[str, ...]], bool]:
    """Every smallest set with a way of each condition: fewest steps first, then by name; and whether cut."""
    wanted = _needed(opens)
    if not wanted:
        return [], False
    count = 1
    for ways in wanted:
        count *= len(ways)
    chosen = {frozenset(choice) for choice in islice(product(*wanted), MOST)}
    smallest = [one for one in chosen if not any(other < one for other in chosen)]
    order = list(dict.fromkeys(way for one in opens for way in one.ways))
    named = [tuple(sorted(one, key=order.index)) for one in smallest]
    return sorted(named, key=lambda steps: (len(steps), steps)), count > MOST


def _needed(opens: list[Open]) -> list[tuple[str, ...]]:
    """The ways of each condition; one that a narrower condition settles anyway asks for nothing more."""
    ways = dict.fromkeys(one.ways for one in opens)
    return [one for one in ways if not any(set(other) < set(one) for other in ways)]
