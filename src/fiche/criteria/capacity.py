"""A stated capacity per device: so many bytes that each device must offer (D4, catalog.md section 10)."""

from __future__ import annotations

from fiche.criteria import _claims, _conditions
from fiche.criteria._capacity import device_capacity
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.doors import Criterion
from fiche.kernel.figure import Figure
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison a device: two cards of half the capacity are not one card of the whole."""
    need = requirement.figures["at_least"]
    indexes = range(int(candidate.cards.low))
    return tuple(_device(need, candidate, index, ground) for index in indexes)


def _device(need: Figure, candidate: Candidate, index: int, ground: Inquiry) -> Comparison:
    seen = device_capacity(candidate, index, ground)
    most = seen.high.high if seen.high is not None else None
    excluded = most is not None and need.low > most
    # What excludes is shown as it was compared, and rests on no word about other users.
    behind = seen.behind(excluded=excluded)
    compared = seen.high if excluded else seen.low
    threshold = tell(">= {need} B visible to the framework", need=need.low)
    lacking = (
        _conditions.memory_available(candidate.gpu, candidate.machine, threshold, "")
        if not seen.seen
        else _conditions.other_users(candidate.gpu, threshold)
    )
    return Comparison(
        device=f"cuda:{index}" if candidate.cards.low > 1 else "",
        need_low=need,
        need_high=need,
        have_low=seen.low,
        have_high=seen.high,
        need_shown=need,
        have_shown=_claims.first(compared, seen.high),
        useful_margin=None if compared is None else compared - need,
        conflicts=seen.conflicts,
        conditions=() if seen.low is not None else (lacking,),
        pieces=behind.pieces,
        attested_by=behind.by,
    )


MEMBER = Criterion(
    name="capacity",
    title=tell("Capacity of each device"),
    compare=compare,
    expects=tell("print of the machine: total memory that its framework sees"),
    settles=tell(
        "What this machine's framework printed, less other users, at or above the threshold admits. Above that "
        "print, a system tool's total, a declared total or the label x 2^30, the threshold excludes."
    ),
    needs=(("at_least",),),
)
