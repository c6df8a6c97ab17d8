"""Differences of two loads and of two numbers, with their signs (D10).

What is the same number on both sides falls out first: an item that nobody can bound, such as a reserve
that both share, leaves a difference as exact as the items that changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.kernel import trace
from fiche.kernel.alternative import Shift
from fiche.kernel.comparison import CaseLoad, LoadItem, PhaseTotal
from fiche.kernel.decision import Decision
from fiche.kernel.figure import Figure, Node, total
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE


def loads_by_owner(decision: Decision) -> Mapping[str, Mapping[str, CaseLoad]]:
    """Loads by case, by whose they are; the empty owner is the fiche's own workload."""
    found: dict[str, dict[str, CaseLoad]] = {"": {}}
    for load in decision.loads:
        found.setdefault(load.owner, {})[load.case] = load
    return found


def shift(
    name: str,
    before: Node | None,
    after: Node | None,
    owner: str,
    *,
    case: str = "",
    phase: str = "",
) -> Shift:
    """One number on both sides, and its difference under a name of the owner."""
    place = ".".join(part for part in (case, "phase" if phase else "", phase, name) if part)
    less = _less(before, after)
    named = (
        None
        if less is None
        else less.named(f"{owner}/difference.{place}", tell("{name} difference", name=name))
    )
    return Shift(name=name, before=before, after=after, difference=named, case=case, phase=phase)


def _less(before: Node | None, after: Node | None) -> Figure | None:
    """None where a side is missing, of another unit, or has no end to subtract."""
    if before is None or after is None or before.unit != after.unit or before.high is None:
        return None
    return after - before


def same(one: Node, other: Node) -> bool:
    """True for one number: the same node, or equal bounds by the same formula."""
    if one is other:
        return True
    if (one.low, one.high, one.unit) != (other.low, other.high, other.unit):
        return False
    return one.low == one.high or _unowned(one) == _unowned(other)


def _unowned(node: Node) -> tuple[object, ...]:
    """The leaves of a number without the candidates that qualify their names."""
    return tuple((leaf.id.rpartition("/")[2], leaf.low, leaf.high) for leaf in trace.leaves(node))


def shifts(before: CaseLoad, after: CaseLoad, owner: str) -> Iterator[Shift]:
    """The items of one case that differ."""
    for name, (one, other) in _paired(before.items, after.items).items():
        if one is None or other is None or not same(one.node, other.node):
            yield _of(name, one, other, owner, case=before.case)


def phases(before: CaseLoad, after: CaseLoad, owner: str) -> Iterator[Shift]:
    """What the differing items make of each phase of one case together."""
    others = {each.phase: each for each in after.phases}
    for each in before.phases:
        other = others.get(each.phase)
        if other is not None:
            told = _together(each, other, owner, before.case)
            if told is not None:
                yield told


def _together(before: PhaseTotal, after: PhaseTotal, owner: str, case: str) -> Shift | None:
    """Summed over the items that differ: what both sides share cancels, whatever it is."""
    parts = [
        _part(one, other)
        for one, other in _paired(before.items, after.items).values()
        if one is None or other is None or not same(one.node, other.node)
    ]
    if not parts:
        return None
    known = [part for part in parts if part is not None]
    summed = None
    if len(known) == len(parts):
        label = tell("difference of all that is alive in {phase}", phase=before.phase)
        summed = total(known, BYTE).named(f"{owner}/difference.{case}.phase.{before.phase}", label)
    return Shift(
        name="",
        before=before.total,
        after=after.total,
        difference=summed,
        case=case,
        phase=before.phase,
    )


def _part(one: LoadItem | None, other: LoadItem | None) -> Figure | None:
    if one is None and other is not None:
        return total((other.node,), BYTE)
    if other is None and one is not None:
        return None if one.node.high is None else 0 - total((one.node,), BYTE) * 1
    if one is None or other is None or one.per_device is not other.per_device:
        return None
    return _less(one.node, other.node)


def _of(name: str, one: LoadItem | None, other: LoadItem | None, owner: str, *, case: str) -> Shift:
    """A figure of one device and one of the whole load are two definitions: no difference (B1)."""
    sides = (one.node if one else None, other.node if other else None)
    if one and other and one.per_device is not other.per_device:
        return Shift(name=name, before=sides[0], after=sides[1], difference=None, case=case)
    told = shift(name, *sides, owner, case=case)
    part = _part(one, other) if told.difference is None else None
    if part is None:
        return told
    named = part.named(f"{owner}/difference.{case}.{name}", tell("{name} difference", name=name))
    return Shift(name=name, before=sides[0], after=sides[1], difference=named, case=case)


def _paired(
    before: tuple[LoadItem, ...], after: tuple[LoadItem, ...]
) -> dict[str, tuple[LoadItem | None, LoadItem | None]]:
    """Items by name; several of one name (reserves) by their order."""
    first, second = _by_name(before), _by_name(after)
    names = dict.fromkeys((*first, *second))
    return {name: (first.get(name), second.get(name)) for name in names}


def _by_name(items: tuple[LoadItem, ...]) -> dict[str, LoadItem]:
    found: dict[str, LoadItem] = {}
    for item in items:
        name = item.name if item.name not in found else item.node.id.rpartition("/")[2]
        found[name] = item
    return found
