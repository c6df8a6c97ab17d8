"""Memory: each must-case on each device of the declared placement, never a sum over devices (D4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fiche.criteria import _claims, _conditions
from fiche.criteria._capacity import DeviceCapacity, device_capacity
from fiche.criteria._failures import Failed, failed
from fiche.criteria._runs import Success, successes
from fiche.criteria._scope import Question, question
from fiche.kernel import trace
from fiche.kernel.comparison import Claim, Comparison, Inquiry, LoadItem
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.figure import Figure, Number, ceil, total
from fiche.kernel.origin import Stated
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case

_CONTEXT = ("prompt_tokens", "new_tokens", "context_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """What the pieces say about one case on one device, and what the arithmetic says."""

    candidate: Candidate
    case: Case | None
    index: int
    capacity: DeviceCapacity
    runs: tuple[Success, ...]
    failures: tuple[Failed, ...]
    floor: Figure | None
    envelope: Figure | None
    margin: Figure


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison per case and device; one without a case where the fiche states none."""
    return tuple(
        _comparison(_gather(candidate, case, index, ground), ground)
        for case in _cases(requirement, candidate)
        for index in range(_num_devices(candidate))
    )


def _cases(requirement: Requirement, candidate: Candidate) -> tuple[Case | None, ...]:
    asked = [
        c for c in candidate.workload.cases if not requirement.cases or c.id in requirement.cases
    ]
    return tuple(asked) or (None,)


def _num_devices(candidate: Candidate) -> int:
    """Devices of the stated placement; unstated on several cards, one device stands for each."""
    stated = candidate.workload.figures.get("placement.devices")
    return 1 if stated is None else int(stated.low)


def _gather(candidate: Candidate, case: Case | None, index: int, ground: Inquiry) -> _Evidence:
    ask = question(candidate, case)
    runs = tuple(s for p in ground.pieces for s in successes(p, ask, index, ground))
    return _Evidence(
        candidate=candidate,
        case=case,
        index=index,
        capacity=device_capacity(candidate, index, ground),
        runs=runs,
        failures=tuple(_failures(ask, index, ground)),
        floor=_floor(candidate, case, ground),
        envelope=_envelope(candidate, case, ground),
        margin=total(candidate.workload.margin, BYTE),
    )


def _failures(ask: Question, index: int, ground: Inquiry) -> Iterator[Failed]:
    for piece in ground.pieces:
        for run in piece.reading.runs:
            found = failed(piece, run, ask, index, ground)
            if found is not None:
                yield found


def _items(case: Case | None, ground: Inquiry) -> tuple[LoadItem, ...]:
    return ground.loads.get(case.id if case else "", ())


def _floor(candidate: Candidate, case: Case | None, ground: Inquiry) -> Figure | None:
    """Resident items that are computed and firm, under a declared all-resident placement.

    Spread over n devices, the most loaded one holds at least the n-th part, whatever the split.
    """
    if _fact(candidate, "placement.resident") != "all" or not _placed(candidate):
        return None
    firm = [i.node for i in _items(case, ground) if i.resident and trace.firm(i.node)]
    if not firm:
        return None
    whole = total(firm, BYTE)
    devices = candidate.workload.figures.get("placement.devices")
    name = f"{case.id}.floor" if case else "floor"
    least = whole if devices is None else ceil(whole / devices)
    return least.named(name, "floor: what must be resident together on the most loaded device")


def _envelope(candidate: Candidate, case: Case | None, ground: Inquiry) -> Figure | None:
    """The conservative envelope as need.high, only if each item of the checklist has a figure (B7)."""
    items = [i.node for i in _items(case, ground)]
    if not items or any(node.high is None for node in items) or not _placed(candidate):
        return None
    devices = candidate.workload.figures.get("placement.devices")
    if devices is not None and devices.low > 1:
        return None  # how the items spread over the devices is the software's doing, not arithmetic
    name = f"{case.id}.envelope" if case else "envelope"
    label = "conservative envelope (a sum of independent maxima, never an observed peak)"
    return total(items, BYTE).named(name, label)


def _fact(candidate: Candidate, path: str) -> str:
    fact = candidate.workload.facts.get(path)
    return fact.value if fact else ""


def _placed(candidate: Candidate) -> bool:
    """A placement is told, or there is one card and so only one place."""
    stated = candidate.workload.figures.get("placement.devices")
    return candidate.cards.low == 1 if stated is None else bool(stated.low <= candidate.cards.low)


def _pinned(floor: Figure) -> bool:
    """A floor excludes only from tensors or a pinned config, not from a count somebody stated."""
    return not any(
        leaf.id.rpartition("/")[2].startswith("model.") and isinstance(leaf.origin, Stated)
        for leaf in trace.leaves(floor)
    )


def _comparison(seen: _Evidence, ground: Inquiry) -> Comparison:
    covering = [s for s in seen.runs if s.covers]
    ceilings = [s for s in covering if s.ceiling is not None and not _below_floor(s, seen.floor)]
    best = min(ceilings, key=_peak, default=None)
    need = best.ceiling if best else seen.envelope if ground.assume else None
    floor = seen.floor
    if floor is not None and not (_pinned(floor) or ground.assume):
        floor = None
    capacity = seen.capacity
    return Comparison(
        case=seen.case.id if seen.case else "",
        device=f"cuda:{seen.index}" if _num_devices(seen.candidate) > 1 else "",
        need_low=floor,
        need_high=need + seen.margin if need is not None else None,
        have_low=capacity.low if _placed(seen.candidate) else None,
        have_high=capacity.high if _placed(seen.candidate) else None,
        need_shown=_shown_need(seen, best),
        have_shown=_claims.first(capacity.low, capacity.high),
        useful_margin=capacity.low - need
        if need is not None and capacity.low is not None
        else None,
        claims=tuple(_proven(seen)),
        conflicts=(*capacity.conflicts, *_conflicts(seen, covering)),
        conditions=tuple(_open(seen, covering, bool(ceilings))),
        pieces=_pieces(seen, best),
        attested_by=_people(seen, best),
        if_held=_if_held(seen, need, floor, best is None),
        required=_placed(seen.candidate),
    )


def _peak(run: Success) -> tuple[bool, Number]:
    """Least first: a peak on a roomier card is no floor, for caches and pools grow with the room."""
    high = None if run.ceiling is None else run.ceiling.high
    return high is None, high or 0


def _below_floor(run: Success, floor: Figure | None) -> bool:
    peak = run.ceiling
    return (
        floor is not None and peak is not None and peak.high is not None and peak.high < floor.low
    )


def _shown_need(seen: _Evidence, best: Success | None) -> Figure | None:
    return _claims.first(best.ceiling if best else None, seen.envelope, seen.floor)


def _proven(seen: _Evidence) -> Iterator[Claim]:
    for fail in seen.failures:
        if fail.proven:
            line = fail.run.failure.message if fail.run.failure else ""
            yield Claim(piece=fail.piece, answer="failure", text=line, by=fail.scope.by)


def _conflicts(seen: _Evidence, covering: list[Success]) -> Iterator[str]:
    for run in seen.runs:
        if run.scope.contradicted and run.related:
            yield from (f"{run.piece}: {text}" for text in run.scope.contradicted)
        if run.covers and _below_floor(run, seen.floor):
            yield f"{run.piece} peaked below the computed floor: something else ran"
    for fail in seen.failures:
        yield from (f"{fail.piece}: {text}" for text in fail.scope.contradicted if fail.related)
        for run in covering:
            if fail.proven and fail.run.first_pass == run.run.first_pass:
                yield f"{run.piece} succeeded and {fail.piece} failed in one scope"


def _open(seen: _Evidence, covering: list[Success], ceiling: bool) -> Iterator[Condition]:
    candidate = seen.candidate
    asked = list(_dimensions_untold(candidate, seen.case))
    yield from asked
    yield from _placement_untold(candidate)
    case = seen.case.id if seen.case else ""
    if not asked and not covering:
        yield _conditions.run(case, candidate.gpu, _nearest(seen), "")
    yield from (_conditions.ceiling(r.piece) for r in covering if r.ceiling is None and not ceiling)
    threshold = _threshold(seen)
    if not seen.capacity.seen:
        yield _conditions.memory_available(
            candidate.gpu, candidate.machine, threshold, _elsewhere(candidate)
        )
    elif not seen.capacity.others_told:
        yield _conditions.other_users(candidate.gpu, threshold)
    for fail in seen.failures:
        if fail.related and not fail.proven:
            yield _conditions.failure(
                fail.piece, (*fail.scope.differs, *fail.scope.untold, *fail.doubts)
            )


def _dimensions_untold(candidate: Candidate, case: Case | None) -> Iterator[Condition]:
    told = case.dimensions if case else {}
    if _fact(candidate, "operation") in ("training", "adaptation"):
        if "microbatch" not in told or "sequence_tokens" not in told:
            yield _conditions.microbatch()
        return
    if not any(name in told for name in _CONTEXT):
        yield _conditions.context()
    if "resident_sequences" not in told:
        yield _conditions.concurrency()


def _placement_untold(candidate: Candidate) -> Iterator[Condition]:
    stated = candidate.workload.figures.get("placement.devices")
    if stated is None and candidate.cards.low > 1:
        yield _conditions.placement(
            f"{candidate.cards.low} cards are not one pool: state the placement (devices, split, software)"
        )
    elif stated is not None and stated.low > candidate.cards.low:
        yield _conditions.placement(
            f"the placement uses {stated.low} devices, the candidate has {candidate.cards.low}"
        )


def _nearest(seen: _Evidence) -> tuple[str, ...]:
    """How the closest run falls short: the one with the fewest differences, of this card first."""
    apart = [r for r in seen.runs if not r.covers]
    if not apart:
        return ()
    best = min(apart, key=lambda r: (not r.related, len(r.short), r.piece))
    return (best.piece, *best.short[:4])


def _threshold(seen: _Evidence) -> str:
    """The bytes at which the verdict turns: the observed need plus margin, where there is one."""
    needs = [r.ceiling for r in seen.runs if r.covers and r.ceiling is not None]
    highs = [n.high for n in needs if n.high is not None]
    if not highs:
        return ""
    return f">= {min(highs) + (seen.margin.high or 0)} B free for this process"


def _elsewhere(candidate: Candidate) -> str:
    card = candidate.card
    visible = [s for s in card.sightings if s.counter == "torch_total_memory"] if card else []
    if not visible:
        return ""
    return f"{min(s.low for s in visible)} to {max(s.high for s in visible)} B"


def _pieces(seen: _Evidence, best: Success | None) -> tuple[str, ...]:
    runs = [r.piece for r in seen.runs if r.covers] if best is None else [best.piece]
    fails = [f.piece for f in seen.failures if f.proven or f.related]
    return tuple(dict.fromkeys([*runs, *fails, *seen.capacity.pieces]))


def _people(seen: _Evidence, best: Success | None) -> tuple[str, ...]:
    run = best.scope.by if best else ()
    fails = [name for f in seen.failures if f.proven for name in f.scope.by]
    return tuple(dict.fromkeys((*run, *fails, *seen.capacity.by)))


def _if_held(
    seen: _Evidence, need: Figure | None, floor: Figure | None, assumed_need: bool
) -> tuple[str, ...]:
    """The assumptions that a second reading leans on."""
    held = []
    if floor is not None and not _pinned(floor):
        held.append("the stated parameter count and dimensions of the model hold")
    if need is not None and assumed_need:
        held.append("the conservative envelope is not exceeded")
        held.extend(
            f"{a.id} = {a.low} B, assumed by {a.origin.by}: {a.origin.because}"  # type: ignore[union-attr]
            for a in trace.assumptions(need)
        )
    return tuple(held)


MEMBER = Criterion(name="memory", title="Device memory", compare=compare)
