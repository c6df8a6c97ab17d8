"""Loads that the conclusion does not hold for: larger dimensions, and what uses the useful margin up."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria._scope import NOT_RESIDENT
from fiche.evaluate.shifts import loads_by_owner
from fiche.kernel import trace
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Figure, Node, Number, floor, total
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.invalidation import Invalidation
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case


def bounds(decision: Decision, outcome: Outcome) -> Iterator[Invalidation]:
    """The largest of each dimension over the cases of its musts, and the growth that is left."""
    asked = [f for f in outcome.findings if f.kind == "memory" and f.level == "must" and f.case]
    yield from _larger(outcome, asked)
    yield from _growth(decision, outcome, asked)
    yield from _guarded(decision, outcome)


def _larger(outcome: Outcome, asked: list[Finding]) -> Iterator[Invalidation]:
    """Every dimension of the cases that no other case covers: a larger load is none of them (A3)."""
    names = {found.case for found in asked}
    cases = [case for case in outcome.candidate.workload.cases if case.id in names]
    requirements = tuple(dict.fromkeys(found.requirement for found in asked))
    for case in cases:
        if any(_covered(case, other) for other in cases if other is not case):
            continue
        yield Invalidation(
            kind="larger",
            figures=tuple(_resident(case).items()),
            case=case.id,
            candidates=(outcome.candidate.id,),
            because=requirements,
        )


def _resident(case: Case) -> dict[str, Figure]:
    return {name: told for name, told in case.dimensions.items() if name not in NOT_RESIDENT}


def _covered(case: Case, other: Case) -> bool:
    """Smaller or equal in every dimension, and smaller in one; of equal ones the first stands for both."""
    ours, theirs = _resident(case), _resident(other)
    if ours.keys() != theirs.keys() or any(ours[n].low > theirs[n].low for n in ours):
        return False
    equal = all(ours[n].low == theirs[n].low for n in ours)
    return not equal or other.id < case.id


def _guarded(decision: Decision, outcome: Outcome) -> Iterator[Invalidation]:
    """Nearer to its limit than the policy's band, a measured value settles nothing."""
    bands = decision.fiche.policy.guard_bands
    for found in outcome.findings:
        if found.kind in bands and found.verdict is Verdict.ADMISSIBLE:
            yield Invalidation(
                kind="guard_band",
                subject=found.kind,
                figure=bands[found.kind],
                candidates=(outcome.candidate.id,),
                because=(found.requirement,),
            )


# --- What uses the margin up --------------------------------------------------------------------


def _growth(decision: Decision, outcome: Outcome, asked: list[Finding]) -> Iterator[Invalidation]:
    """By how many tokens each sequence may grow until its KV cache alone takes the useful margin."""
    margins = [f for f in asked if f.margin is not None and f.verdict is Verdict.ADMISSIBLE]
    caches = {found.case: _cache(decision, outcome, found.case) for found in margins}

    def tightest(found: Finding) -> tuple[Number, Number]:
        held = caches[found.case]
        return (0 if found.margin is None else found.margin.low, 0 if held is None else -held.low)

    least = min(margins, key=tightest, default=None)
    if least is None or least.margin is None or len(margins) < len(asked):
        return
    spare = least.margin - total(decision.fiche.workload.margin, BYTE)
    case = next(c for c in outcome.candidate.workload.cases if c.id == least.case)
    per_token = _per_token(caches[least.case], case)
    if per_token is None or spare.low <= 0:
        return
    name = f"{outcome.candidate.id}/growth.{case.id}.tokens"
    label = tell("tokens more in each sequence whose KV cache uses the useful margin up")
    yield Invalidation(
        kind="growth",
        figure=floor(spare / per_token).named(name, label),
        case=case.id,
        candidates=(outcome.candidate.id,),
        because=(least.requirement, *least.pieces),
        owner=outcome.candidate.id,
    )


def _cache(decision: Decision, outcome: Outcome, case: str) -> Node | None:
    by_owner = loads_by_owner(decision)
    load = by_owner.get(outcome.candidate.id, by_owner[""]).get(case)
    items = load.items if load is not None else ()
    found = next((item for item in items if item.name == "kv_cache"), None)
    if found is None or not (found.per_device or outcome.candidate.cards.low == 1):
        return None  # of the whole load, and the margin is of one device
    return found.node


def _per_token(cache: Node | None, case: Case) -> Figure | None:
    """Bytes of all sequences for one more token in each; None where the cache is not in proportion.

    A window, pages or a fixed allocation are not: twice the tokens do not take twice the bytes.
    """
    told = [case.dimensions.get(name) for name in ("prompt_tokens", "new_tokens")]
    tokens = [each for each in told if each is not None]
    if cache is None or cache.low != cache.high or not cache.low or not tokens:
        return None
    if not trace.firm(cache):
        return None
    held = total(tokens, tokens[0].unit)
    double = {tokens[0].id: tokens[0] + held}
    again = trace.reevaluate(cache, double)
    if not isinstance(again, Figure) or again.low != 2 * cache.low or again.high != again.low:
        return None
    return cache / held
