"""The capacity of one device of one machine: what it printed, what bounds it from above (DESIGN 4).

Capacity is of a machine, not of a name: low is the framework-visible total this machine printed,
less other users; high is that print, a system tool's or provider's total, or the label x 2^30.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fiche.criteria import _claims
from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Observed
from fiche.kernel.piece import Capacity, Piece, Printed
from fiche.kernel.requirement import Candidate
from fiche.kernel.unit import BYTE

FRAMEWORK_VISIBLE = frozenset({"torch_total_memory", "cuda_total_other", "oom_total_capacity"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCapacity:
    """Bounds of one device: None is an open end. `seen` is True once this machine printed its total.

    `others_told` says whether other users of the device are observed or guaranteed absent.
    """

    low: Figure | None
    high: Figure | None
    seen: bool
    others_told: bool
    conflicts: tuple[str, ...]
    pieces: tuple[str, ...]
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Print:
    piece: str
    figure: Figure
    visible: bool
    others: Figure | None
    by: tuple[str, ...]


def device_capacity(candidate: Candidate, index: int, ground: Inquiry) -> DeviceCapacity:
    """What this candidate's machine offers on device `index`, from its own prints and the label."""
    prints = sorted(_prints(candidate, index, ground), key=lambda p: (p.piece, p.figure.low))
    visible = [p for p in prints if p.visible]
    total = _larger([p.figure for p in visible], "low")
    high = _smaller([p.figure for p in prints] + _label(candidate))
    others, told, guaranteed_by = _others(candidate, visible, ground)
    return DeviceCapacity(
        low=_usable(total, others) if told else None,
        high=high,
        seen=bool(visible),
        others_told=told,
        conflicts=_conflicts(prints),
        pieces=tuple(dict.fromkeys(p.piece for p in prints)),
        by=tuple(dict.fromkeys((*guaranteed_by, *(b for p in prints for b in p.by)))),
    )


def _usable(total: Figure | None, others: Figure | None) -> Figure | None:
    if total is None:
        return None
    return total if others is None else total - others


def _prints(candidate: Candidate, index: int, ground: Inquiry) -> Iterator[_Print]:
    for piece in ground.pieces:
        by = _machine_of(piece, candidate, ground)
        if by is not None:
            for capacity in piece.reading.capacities:
                yield from _capacity_print(piece, capacity, candidate, index, by)
    for piece, item in _claims.attested("capacity", candidate, ground):
        if _claims.vouched(item, ground) and _same_device(item.words.get("device"), index):
            counter = item.words["counter"].value
            yield _Print(
                piece=piece.id,
                figure=item.terms["value"],
                visible=counter in FRAMEWORK_VISIBLE,
                others=None,
                by=_claims.people(item),
            )


def _machine_of(piece: Piece, candidate: Candidate, ground: Inquiry) -> tuple[str, ...] | None:
    """On whose word a piece is of the candidate's machine; None when it is not, or nobody says."""
    if not candidate.machine:
        return None
    fact = piece.reading.facts.get("machine") or piece.typed.get("machine")
    if fact is None or fact.value != candidate.machine:
        return None
    if fact.printed:
        return ()
    return (fact.by,) if fact.by and ground.policy.typed_scope == "counts" else None


def _same_device(told: object, index: int) -> bool:
    return told is None or str(getattr(told, "value", told)) in (str(index), f"cuda:{index}")


def _capacity_print(
    piece: Piece, capacity: Capacity, candidate: Candidate, index: int, by: tuple[str, ...]
) -> Iterator[_Print]:
    """One device's reading describes no other device (C9); an unnamed one only where there is one."""
    alone = capacity.device_index is None and candidate.cards.low == 1
    if (alone or capacity.device_index == index) and capacity.value.low is not None:
        others = capacity.others
        yield _Print(
            piece=piece.id,
            figure=_observed(capacity, capacity.value, "total"),
            visible=capacity.counter in FRAMEWORK_VISIBLE,
            others=None
            if others is None or others.low is None
            else _observed(capacity, others, "current"),
            by=by,
        )


def _observed(capacity: Capacity, value: Printed, stat: str) -> Figure:
    counter = capacity.counter if stat == "total" else "other_processes"
    origin = Observed(
        pointer=capacity.pointer, counter=counter, scope="device", stat=stat, printed=value.text
    )
    assert value.low is not None
    return Figure(low=value.low, high=value.high, unit=BYTE, origin=origin)


def _label(candidate: Candidate) -> list[Figure]:
    """Label x 2^30 is a ceiling: no visible capacity was ever seen above it (catalog.md 1.3)."""
    card = candidate.card
    return [card.figures["nominal_binary"]] if card and "nominal_binary" in card.figures else []


def _others(
    candidate: Candidate, visible: list[_Print], ground: Inquiry
) -> tuple[Figure | None, bool, tuple[str, ...]]:
    """What others hold (the larger reading), whether anybody told, and who guarantees none."""
    read = [p.others for p in visible if p.others is not None]
    if read:
        return _larger(read, "high"), True, ()
    if candidate.other_users is not None and candidate.other_users.value == "none":
        counts = candidate.other_users.by and ground.policy.typed_scope == "counts"
        if counts:
            return None, True, (candidate.other_users.by,)
    for _, item in _claims.attested("other_users", candidate, ground):
        if item.words["value"].value == "none" and _claims.vouched(item, ground):
            return None, True, _claims.people(item)
    return None, False, ()


def _larger(figures: list[Figure], end: str) -> Figure | None:
    """The figure with the greatest bound at one end; comparing prints, not making a formula."""
    if not figures:
        return None
    known = [f for f in figures if getattr(f, end) is not None]
    return max(known or figures, key=lambda f: getattr(f, end) or 0)


def _smaller(figures: list[Figure]) -> Figure | None:
    known = [f for f in figures if f.high is not None]
    return min(known, key=lambda f: f.high or 0) if known else None


def _conflicts(prints: list[_Print]) -> tuple[str, ...]:
    """Framework-visible totals that exclude each other, or one above what a wider tool printed."""
    return tuple(
        f"{low.piece} shows at least {low.figure.low} B, {high.piece} at most {high.figure.high} B"
        for low in prints
        if low.visible
        for high in prints
        if high.figure.high is not None and low.figure.low > high.figure.high
    )
