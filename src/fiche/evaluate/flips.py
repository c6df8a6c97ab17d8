"""The smallest sets of steps that turn a candidate, and the steps any one of which excludes it (D1).

A set is sufficient because every open condition that decides has one of its ways in it, and smallest because
each of its steps is the only way in it of some condition. The search is exact up to a bound, which is said.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, product

from fiche.evaluate.settlement import TOGETHER, can_exclude
from fiche.evaluate.steps import Open, Plan
from fiche.kernel.decision import Outcome
from fiche.kernel.finding import Verdict
from fiche.kernel.settling import Flips

# Choices of one way a condition that are looked at for one candidate.
MOST = 4096
_SHOWN = 8


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
    """Each step with a must that its bad outcome refuses; those of one amount together."""
    amounts: dict[int, list[str]] = {}
    for one in plan.of.get(who, ()):
        if one.level != "must" or one.finding is None:
            continue
        if not can_exclude(one.condition, one.finding.comparison):
            continue
        if one.condition.topic in TOGETHER:
            amounts.setdefault(id(one.finding), []).append(one.ways[0])
        else:
            yield from ((way,) for way in one.ways)
    yield from (tuple(dict.fromkeys(ways)) for ways in amounts.values())


def _smallest(sets: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Each once, without those that hold another."""
    found = list(dict.fromkeys(sets))
    return tuple(one for one in found if not any(set(other) < set(one) for other in found))


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
