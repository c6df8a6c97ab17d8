"""What a settled condition does to a comparison, so that the one rule can judge it again (DESIGN 4).

Settled well means: a piece in scope says yes. Settled badly means that one says no; not every condition has
a bad answer that excludes: a total above the floor admits nothing and excludes nothing, however small.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from fiche.criteria import _conditions
from fiche.evaluate.rule import judge
from fiche.kernel.comparison import Claim, Comparison
from fiche.kernel.condition import Condition
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.trace import firm

SETTLED = "settled"
# Nobody's bad answer to these excludes a candidate: they are of the question, or of how pieces stand together.
_NEVER_EXCLUDE = frozenset(
    {"identity", "conflict", "stale", "placement", "near_limit", "availability"}
)
# An earlier failure of unknown cause keeps no verdict open: a run that covers the case admits all the same.
_BESIDE = frozenset({"failure"})
# Without these a load has no stated size, and nothing can be run.
STATED_FIRST = frozenset({"context", "concurrency", "microbatch"})
# What no run answers in a comparison of memory: everything else of it, one run of the whole loop does.
QUESTION = STATED_FIRST | {"placement", "identity", "conflict"}


def settled(
    comparison: Comparison, open_: tuple[Condition, ...], told: Collection[Condition], *, well: bool
) -> Comparison:
    """The comparison once `told`, of its open conditions, are settled: all of them well, or all badly.

    Partly settled, it stays as open as it was, but for the contradictions that are gone.
    """
    if not well:
        against = any(set(one) <= set(told) for one in refusals(comparison, open_))
        claim = Claim(piece=SETTLED, answer="no")
        return replace(comparison, conflicts=(), claims=(claim,)) if against else comparison
    found = _without_conflicts(comparison, told)
    left = [one for one in open_ if one not in told and blocks(one)]
    if left or judge(found).verdict is not Verdict.TO_CONFIRM or found.conflicts:
        return found
    return replace(found, claims=(*found.claims, Claim(piece=SETTLED, answer="yes")))


def refusals(
    comparison: Comparison, open_: tuple[Condition, ...]
) -> tuple[tuple[Condition, ...], ...]:
    """Sets of open conditions that exclude if all of one are answered badly.

    One bad answer is enough in most cases. A load of untold sizes takes all of them, and then its floor or a
    run excludes; a criterion may know its own sets (`against`). As long as pieces contradict each other
    nothing excludes: what they contradict each other in is part of each set.
    """
    conflicts = tuple(one for one in open_ if one.topic == "conflict")
    against = comparison.against
    found = _one_by_one(comparison, open_) if against is None else iter(against)
    return tuple((*conflicts, *one) for one in found)


def _one_by_one(
    comparison: Comparison, open_: tuple[Condition, ...]
) -> Iterator[tuple[Condition, ...]]:
    sizes = tuple(one for one in open_ if one.topic in STATED_FIRST)
    outgrows = bool(sizes) and _has_floor(comparison) and comparison.have_high is not None
    if outgrows:
        yield sizes
    for one in open_:
        if one in sizes or not can_exclude(one, comparison):
            continue
        if one.topic != "need":
            yield (one,)
        elif not outgrows:
            yield (*sizes, one)


def _without_conflicts(comparison: Comparison, told: Collection[Condition]) -> Comparison:
    """Of two sides that contradict each other, the one that stood against the candidate is shown wrong."""
    left = tuple(text for text in comparison.conflicts if _conditions.conflict(text) not in told)
    if left == comparison.conflicts:
        return comparison
    against = () if left else ("no", "failure")
    claims = tuple(claim for claim in comparison.claims if claim.answer not in against)
    found = replace(comparison, conflicts=left, claims=claims)
    if judge(found).verdict is not Verdict.EXCLUDE:
        return found
    return replace(found, need_low=None)  # the number that is too much was the side that is wrong


def open_of(finding: Finding) -> tuple[Condition, ...]:
    """What is open of a finding, and the run that its size makes possible once it is stated (D9)."""
    told = finding.conditions if finding.verdict is Verdict.TO_CONFIRM else ()
    unsized = any(one.topic in STATED_FIRST for one in told)
    if finding.kind != "memory" or not unsized:
        return told
    then = Condition(
        topic="need",
        text=tell("run the whole loop of what is then stated"),
        supplier=tell("whoever can run it"),
        piece_kind="record",
        case=finding.case,
    )
    return (*told, then)


def judged_again(finding: Finding, told: Collection[Condition], *, well: bool) -> Verdict:
    """The verdict of a finding once these conditions are settled; one that is not open keeps its own."""
    if finding.comparison is None or finding.verdict is not Verdict.TO_CONFIRM:
        return finding.verdict
    open_ = open_of(finding)
    mine = tuple(one for one in open_ if one in told)
    if not mine:
        return finding.verdict
    return judge(settled(finding.comparison, open_, mine, well=well)).verdict


def blocks(condition: Condition) -> bool:
    """True for a condition without which no piece admits."""
    return condition.topic not in _BESIDE


def can_exclude(condition: Condition, comparison: Comparison | None) -> bool:
    """True where a bad answer excludes: a failing run, a refusal, a price above, a total below the floor."""
    if condition.topic in _NEVER_EXCLUDE:
        return False
    if condition.topic == "memory_available":
        return "total memory" in condition.text and _has_floor(comparison)
    return True


def _has_floor(comparison: Comparison | None) -> bool:
    """A floor that nobody guesses: from tensors or a configuration, never from a parameter count."""
    floor = None if comparison is None else comparison.need_low
    return floor is not None and firm(floor)
