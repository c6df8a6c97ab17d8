"""What would settle an open memory comparison, in the order in which it should be provided (D1).

One run answers for every case that it covers: where several cases of a requirement lack one, the most
demanding of them is asked for, once (D6).
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _asked, _conditions
from fiche.criteria._evidence import Evidence
from fiche.criteria._failures import Failed
from fiche.criteria._runs import Success
from fiche.criteria._scope import NOT_RESIDENT
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell
from fiche.kernel.workload import Case

_PEAK = tell("peak of the process's device use")


@record
class Row:
    """Every case asked of one device; `answered` says by place which open ones a run of it covers."""

    seen: tuple[Evidence, ...]
    above: tuple[tuple[int, ...], ...]
    answered: tuple[tuple[int, ...], ...]


def row_of(seen: tuple[Evidence, ...]) -> Row:
    """Each pair of cases is compared once, however many there are."""
    places = range(len(seen))
    above = tuple(
        tuple(large for large in places if _within(seen[small].case, seen[large].case))
        for small in places
    )
    below: list[list[int]] = [[] for _ in places]
    for small in places:
        for large in {*above[small], small}:
            if large == small or not seen[small].covering:
                below[large].append(small)
    return Row(seen=seen, above=above, answered=tuple(map(tuple, below)))


def conditions(place: int, best: Success | None, row: Row, ground: Inquiry) -> Iterator[Condition]:
    """What is open at one place of a row, beside the load's own dimensions."""
    seen = row.seen[place]
    yield from _placement_untold(seen.candidate)
    if _runnable(seen) and not seen.covering:
        yield _run(place, row, ground)
    if best is None:
        yield from (_conditions.ceiling(r.piece) for r in seen.covering if r.ceiling is None)
    yield from _available(seen, best, ground)
    yield from _tight(seen, best)
    for fail in seen.failures:
        if fail.unexplained:
            yield from _unexplained(fail, place, row)


def _unexplained(fail: Failed, place: int, row: Row) -> Iterator[Condition]:
    """What keeps a failure from excluding: once for all cases, and what holds of one with its name."""
    everywhere = [
        {*other.scope.short, *other.doubts}
        for seen in row.seen
        for other in seen.failures
        if other.piece == fail.piece and other.run.id == fail.run.id and other.unexplained
    ]
    causes = (*fail.scope.short, *fail.doubts)
    shared = tuple(cause for cause in causes if all(cause in told for told in everywhere))
    own = tuple(cause for cause in causes if cause not in shared)
    if shared:
        yield _conditions.failure(fail.piece, shared)
    if own:
        yield _conditions.failure(fail.piece, own, row.seen[place].case_id)


def _runnable(seen: Evidence) -> bool:
    """A load of no stated size is no question that a run could answer."""
    return not _asked.untold(seen.candidate, seen.case)


def _run(place: int, row: Row, ground: Inquiry) -> Condition:
    """The run to make: of the largest case that covers this one, naming the others that it answers."""
    above = row.above[place] or (place,)
    most = max(above, key=lambda one: (len(row.answered[one]), one))
    seen = row.seen[most]
    return _conditions.run(
        seen.case_id,
        tuple(row.seen[one].case_id for one in row.answered[most] if one != most),
        seen.candidate.gpu,
        _nearest(seen) or _admits_nothing(seen.candidate, ground),
        _most(seen),
    )


def _within(small: Case | None, large: Case | None) -> bool:
    """True when a run of the large case covers the small one: every dimension, every phase."""
    if small is None or large is None or not set(small.phases) <= set(large.phases):
        return False
    return all(
        name in large.dimensions and size.low <= large.dimensions[name].low
        for name, size in small.dimensions.items()
        if name not in NOT_RESIDENT
    )


def _most(seen: Evidence) -> str:
    """The peak at which the verdict turns, in bytes where this machine has shown what it offers."""
    margin, low = seen.margin.high or 0, seen.capacity.low
    if low is not None:
        return tell("{peak} <= {low} B", peak=_PEAK, low=max(low.low - margin, 0))
    more = tell(" + {margin} B margin", margin=margin) if margin else ""
    return tell("{peak}{more} <= what the machine offers", peak=_PEAK, more=more)


def _available(seen: Evidence, best: Success | None, ground: Inquiry) -> Iterator[Condition]:
    threshold = _threshold(seen, best)
    candidate = seen.candidate
    if not seen.capacity.seen:
        elsewhere = _elsewhere(candidate, ground)
        yield _conditions.memory_available(candidate.gpu, candidate.machine, threshold, elsewhere)
    elif not seen.capacity.others_told:
        yield _conditions.other_users(candidate.gpu, threshold)


def _tight(seen: Evidence, best: Success | None) -> Iterator[Condition]:
    """A peak seen elsewhere is above what this machine offers: only a run on it can tell."""
    need = best.ceiling if best else None
    low = seen.capacity.low
    if need is None or low is None or need.high is None:
        return
    if need.high + (seen.margin.high or 0) > low.low:
        most = low.low - (seen.margin.high or 0)
        yield _conditions.tight(seen.case_id, seen.candidate.machine, max(most, 0))


def _placement_untold(candidate: Candidate) -> Iterator[Condition]:
    stated = candidate.workload.figures.get("placement.devices")
    if stated is None and candidate.cards.low > 1:
        yield _conditions.placement(
            tell(
                "{cards} cards are not one pool: state the placement (devices, split, software)",
                cards=candidate.cards.low,
            )
        )
    elif stated is not None and stated.low > candidate.cards.low:
        yield _conditions.placement(
            tell(
                "the placement uses {stated} devices, the candidate has {cards}",
                stated=stated.low,
                cards=candidate.cards.low,
            )
        )


def _nearest(seen: Evidence) -> tuple[str, ...]:
    """How the closest run falls short: the one with the fewest differences, of this card first."""
    apart = [r for r in seen.runs if not r.covers]
    if not apart:
        return ()
    best = min(apart, key=lambda r: (not r.related, len(r.short), r.piece))
    return (best.piece, *best.short[:4])


def _admits_nothing(candidate: Candidate, ground: Inquiry) -> tuple[str, ...]:
    """Where no loop ended well: what was begun on this card, or measured in another order."""
    ran = [
        (piece.id, run)
        for piece in ground.pieces
        for run in piece.reading.runs
        if (card := run.facts.get("gpu") or piece.reading.facts.get("gpu")) is not None
        and card.value.casefold() == candidate.gpu.casefold()
    ]
    for piece, run in ran:
        if run.outcome == "unknown" and not run.whole_loop:
            name = run.phases[-1] if run.phases else tell("a phase")
            return (
                piece,
                tell("{name} started and has no end: neither a success nor a failure", name=name),
            )
    for piece, run in ran:
        if run.outcome == "unknown":
            return (piece, tell("it is one rank of several: the ranks together tell of the run"))
    for piece, run in ran:
        if run.outcome == "success" and not run.whole_loop:
            return (
                piece,
                tell("it was measured phase by phase, which locates a peak and admits nothing"),
            )
    return ()


def _threshold(seen: Evidence, best: Success | None) -> str:
    """The bytes at which the verdict turns: the observed need plus margin, or the need once observed."""
    margin = seen.margin.high or 0
    if best is not None and best.ceiling is not None and best.ceiling.high is not None:
        return tell(
            ">= {ceiling_high} B free for this process", ceiling_high=best.ceiling.high + margin
        )
    if not _runnable(seen):
        return ""
    more = tell(" + {margin} B margin", margin=margin) if margin else ""
    return tell(">= {peak}{more}, free for this process", peak=_PEAK, more=more)


def _elsewhere(candidate: Candidate, ground: Inquiry) -> str:
    """What the card showed on other machines, and the spread that the policy allows between them."""
    card, spread = candidate.card, ground.policy.machine_spread
    visible = [s for s in card.sightings if s.counter == "torch_total_memory"] if card else []
    allowed = (
        tell(
            "policy '{policy}' allows {spread} B between machines of one card",
            policy=ground.policy.name,
            spread=spread.low,
        )
        if spread is not None
        else ""
    )
    if not visible:
        return allowed
    shown = tell(
        "{each} to {each2} B", each=min(s.low for s in visible), each2=max(s.high for s in visible)
    )
    return tell("{shown}; {allowed}", shown=shown, allowed=allowed) if allowed else shown
