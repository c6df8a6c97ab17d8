"""Memory: each must-case on each device of the declared placement, never a sum over devices (D4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fiche.criteria import _asked, _claims
from fiche.criteria._apart import spread_of
from fiche.criteria._capacity import Backing
from fiche.criteria._evidence import (
    Evidence,
    asked,
    devices_of,
    gather,
    num_devices,
    pinned,
    placed,
)
from fiche.criteria._open import Row, conditions, row_of
from fiche.criteria._runs import Success
from fiche.estimators import open_formats
from fiche.kernel import trace
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.figure import Figure, Number
from fiche.kernel.origin import Assumed
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell
from fiche.kernel.workload import Case

if TYPE_CHECKING:
    from fiche.criteria._simulated import Standing


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison per case and device; one without a case where the fiche states none."""
    devices = devices_of(candidate, ground)
    cases = [asked(candidate, c, devices, ground) for c in _cases(requirement, candidate)]
    by_device = tuple(
        row_of(tuple(gather(case, index, devices, ground) for case in cases))
        for index in range(len(devices.rooms))
    )
    return tuple(
        _comparison(place, row, ground) for place in range(len(cases)) for row in by_device
    )


def _cases(requirement: Requirement, candidate: Candidate) -> tuple[Case | None, ...]:
    asked = [
        c for c in candidate.workload.cases if not requirement.cases or c.id in requirement.cases
    ]
    return tuple(asked) or (None,)


def _comparison(place: int, row: Row, ground: Inquiry) -> Comparison:
    """One case on one device; `row` is all that is asked of that device."""
    seen = row.seen[place]
    best, untold = _best(seen), _asked.untold(seen.candidate, seen.case)
    computed = _simulated(seen) if best is None else None
    need = best.ceiling if best else _computed(seen, computed, untold, ground)
    floor = seen.excludes
    if floor is not None and not (pinned(floor) or ground.assume):
        floor = None
    capacity, told = seen.capacity, placed(seen.candidate)
    excluded = _too_much(floor, capacity.high)
    room = capacity.behind(excluded=excluded)
    need_shown, have_shown = _shown(seen, best, floor)
    return Comparison(
        case=seen.case_id,
        device=f"cuda:{seen.index}" if num_devices(seen.candidate) > 1 else "",
        need_low=floor,
        need_high=need + seen.margin if need is not None else None,
        have_low=capacity.low if told else None,
        have_high=capacity.high if told else None,
        need_shown=need_shown,
        need_is_floor=need_shown is not None and need_shown is seen.floor,
        have_shown=have_shown,
        useful_margin=_useful(need, capacity.low),
        claims=tuple(_proven(seen)),
        conflicts=tuple(dict.fromkeys((*capacity.conflicts, *_conflicts(seen)))),
        conditions=_open_points(place, best, row, ground),
        pieces=_pieces(seen, best, room),
        attested_by=_people(seen, best, room, excluded=excluded),
        if_held=_if_held(need, floor, best is None, computed),
        noted=_noted(seen, best),
        spread=spread_of(best, seen.covering, seen.candidate, ground),
        guard_excludes=False,
    )


def _computed(
    seen: Evidence, computed: Standing | None, untold: tuple[str, ...], ground: Inquiry
) -> Figure | None:
    """What arithmetic, or a simulation, says at most: in the second reading, of a load of stated size."""
    if not ground.assume or untold:
        return None
    return computed.need if computed is not None else seen.envelope


def _open_points(
    place: int, best: Success | None, row: Row, ground: Inquiry
) -> tuple[Condition, ...]:
    """What would settle it: what is untold, what is to measure, and what may change the weights' format.

    A run that covers has loaded the format it names; only arithmetic needs to be told of it.
    """
    seen = row.seen[place]
    untold = _asked.conditions(_asked.untold(seen.candidate, seen.case))
    formats = open_formats(seen.candidate.workload) if best is None else ()
    return (*untold, *conditions(place, best, row, ground), *formats)


def _best(seen: Evidence) -> Success | None:
    """The covering run with the least peak: one on a roomier card is no floor, for pools grow."""
    ceilings = [r for r in seen.covering if r.ceiling is not None and not _below_floor(r, seen)]
    return min(ceilings, key=_peak, default=None)


def _peak(run: Success) -> tuple[bool, Number, str]:
    high = None if run.ceiling is None else run.ceiling.high
    return high is None, high or 0, run.piece


def _below_floor(run: Success, seen: Evidence) -> bool:
    """No device of the run held as much as the most loaded one must."""
    return seen.floor is not None and run.most is not None and run.most < seen.floor.low


def _useful(need: Figure | None, low: Figure | None) -> Figure | None:
    if need is None or low is None or need.high is None:
        return None
    return low - need


def _shown(
    seen: Evidence, best: Success | None, floor: Figure | None
) -> tuple[Figure | None, Figure | None]:
    """The two numbers beside the verdict: those that decide it where the floor is too much."""
    most = seen.capacity.high
    if _too_much(floor, most):
        return floor, most
    need = _claims.first(best.ceiling if best else None, seen.envelope, seen.floor)
    return need, _claims.first(seen.capacity.low, most)


def _proven(seen: Evidence) -> Iterator[Claim]:
    for fail in seen.failures:
        if fail.proven:
            line = fail.run.failure.message if fail.run.failure else ""
            yield Claim(piece=fail.piece, answer="failure", text=line, by=fail.by)


def _conflicts(seen: Evidence) -> Iterator[str]:
    for run in seen.runs:
        if run.scope.disputed:
            yield from (
                tell("{piece}: {text}", piece=run.piece, text=text)
                for text in run.scope.contradicted
            )
        if run.covers and _below_floor(run, seen):
            floor = seen.floor.low if seen.floor is not None else 0
            yield tell(
                "{piece} peaked at most at {most} B, below the computed floor of {floor} B: "
                "something else ran",
                piece=run.piece,
                most=str(run.most),
                floor=floor,
            )
    for fail in seen.failures:
        if fail.disputed:
            yield from (
                tell("{piece}: {text}", piece=fail.piece, text=text)
                for text in fail.scope.contradicted
            )
        if not fail.proven:
            continue
        for run in seen.covering:
            yield tell(
                "{piece} succeeded and {piece2} failed in one scope",
                piece=run.piece,
                piece2=fail.piece,
            )
        room = seen.capacity.visible
        most = fail.total[1] if fail.total else None
        if room is not None and most is not None and room.low > most:
            yield tell(
                "{piece} failed on a card that showed at most {most} B, this machine shows at "
                "least {room} B",
                piece=fail.piece,
                most=most,
                room=room.low,
            )


def _pieces(seen: Evidence, best: Success | None, room: Backing) -> tuple[str, ...]:
    """What the verdict rests on: a proven failure needs nothing beside it, a conflict all sides."""
    proven = [f.piece for f in seen.failures if f.proven]
    if proven and not seen.covering and not seen.capacity.conflicts:
        return tuple(dict.fromkeys(proven))
    runs = [r.piece for r in seen.covering] if best is None else [best.piece]
    fails = [
        f.piece
        for f in seen.failures
        if f.proven or (f.unexplained and (best is None or f.scope.covers))
    ]
    return tuple(dict.fromkeys([*runs, *fails, *room.pieces]))


def _people(
    seen: Evidence, best: Success | None, room: Backing, *, excluded: bool
) -> tuple[str, ...]:
    """Whose word the verdict takes: of those only whose pieces decide it."""
    fails = tuple(name for f in seen.failures if f.proven for name in f.by)
    if any(f.proven for f in seen.failures):
        return tuple(dict.fromkeys(fails))
    run = best.scope.by if best and not excluded else ()
    return tuple(dict.fromkeys((*run, *room.by)))


def _noted(seen: Evidence, best: Success | None) -> tuple[str, ...]:
    """Differences without weight, of the pieces that decide."""
    fails = tuple(text for f in seen.failures if f.proven for text in f.noted)
    return tuple(dict.fromkeys(fails or (best.noted if best is not None else ())))


def _too_much(floor: Figure | None, most: Figure | None) -> bool:
    return bool(
        floor is not None and most is not None and most.high is not None and floor.low > most.high
    )


def _simulated(seen: Evidence) -> Standing | None:
    """The simulation that needs most; its code is loaded where there is one."""
    if not seen.simulated:
        return None
    from fiche.criteria._simulated import strongest

    return strongest(seen.simulated, seen.envelope)


def _supposed(computed: Standing | None) -> str:
    if computed is None:
        return tell("the conservative envelope is not exceeded")
    from fiche.criteria._simulated import said_of

    return said_of(computed)


def _if_held(
    need: Figure | None, floor: Figure | None, assumed_need: bool, computed: Standing | None
) -> tuple[str, ...]:
    """The assumptions that a second reading leans on."""
    held = []
    leaning = (floor, need if assumed_need else None)
    if any(figure is not None and not pinned(figure) for figure in leaning):
        held.append(tell("the stated parameter count and dimensions of the model hold"))
    if need is not None and assumed_need:
        held.append(_supposed(computed))
        for guess in trace.assumptions(need):
            if isinstance(guess.origin, Assumed):
                held.append(
                    tell(
                        "{guess} = {guess_low} B, assumed by {by}: {because}",
                        guess=guess.id,
                        guess_low=guess.low,
                        by=guess.origin.by,
                        because=guess.origin.because,
                    )
                )
    return tuple(held)


MEMBER = Criterion(
    name="memory",
    title=tell("Device memory"),
    compare=compare,
    expects=tell("record of the whole loop, and the machine's print of its total memory"),
    settles=tell(
        "The peak of a covering run, with the margin, within what the machine offers on each device admits. A "
        "floor above it, or a proven failure that covers the case, excludes."
    ),
)
