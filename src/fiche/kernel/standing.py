"""How a finding stands in the words of W3C EARL, the only ones with two unknowns; and a candidate's in short.

*To confirm* says too little: that nobody has looked, or that what is there does not settle it, ask for
different things next.
"""

from __future__ import annotations

from fiche.kernel.condition import Condition
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.record import record

PASSED, FAILED = "passed", "failed"
CANT_TELL, UNTESTED, INAPPLICABLE = "cantTell", "untested", "inapplicable"
NOTHING_REQUIRED = "nothing_required"
# Reasons that there is evidence to give: pieces that contradict each other, or that are out of date.
_EVIDENCE = frozenset({"conflict", "below_floor", "near_limit", "overlap", "stale"})


def standing(found: Finding) -> str:
    """passed, failed, cantTell (evidence does not settle it), untested (there is none), or inapplicable.

    A want that states no threshold applies to nothing; a must without one is not tested.
    """
    if found.verdict is Verdict.ADMISSIBLE:
        return PASSED
    if found.verdict is Verdict.EXCLUDE:
        return FAILED
    if found.reason == NOTHING_REQUIRED:
        return UNTESTED if found.level == "must" else INAPPLICABLE
    looked = found.reason in _EVIDENCE or found.pieces or found.sources
    return CANT_TELL if looked else UNTESTED


def settles_if(found: Finding) -> tuple[str, ...]:
    """The values at which the verdict turns, each once; none where no condition names one."""
    return tuple(dict.fromkeys(c.threshold for c in found.conditions if c.threshold))


@record
class Short:
    """A candidate in short: `failed` and `unsettled` are its musts so, in the order of elimination.

    `open` are its open points, `flips` the smallest sets of steps that would retain it.
    """

    code: str
    failed: tuple[Finding, ...]
    unsettled: tuple[Finding, ...]
    open: tuple[Condition, ...]
    flips: tuple[tuple[str, ...], ...]


def short(outcome: Outcome, decision: Decision) -> Short:
    """What a reader asks first of one candidate."""
    musts = [found for found in outcome.findings if found.level == "must"]
    settling = decision.settling
    flips = () if settling is None else settling.flips
    mine = [one for one in flips if one.candidate == outcome.candidate.id]
    return Short(
        code=outcome.verdict.code,
        failed=tuple(one for one in musts if one.verdict is Verdict.EXCLUDE),
        unsettled=tuple(one for one in musts if one.verdict is Verdict.TO_CONFIRM),
        open=outcome.conditions,
        flips=tuple(each for one in mine for each in one.retain),
    )
