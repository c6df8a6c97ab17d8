"""The least that must be in memory together: resident items, as far as they are firm (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.kernel import trace
from fiche.kernel.comparison import LoadItem
from fiche.kernel.figure import Figure, Operand, larger, smaller, total
from fiche.kernel.origin import Computed
from fiche.kernel.unit import BYTE


def firm_floor(items: Iterable[LoadItem]) -> Figure | None:
    """The sum in bytes of the resident items, without what rests on a guess; None where nothing is left."""
    parts = [firm_part(item.node) for item in items if item.resident]
    known = [part for part in parts if part is not None]
    return total(known, BYTE) if known else None


def firm_part(node: Operand) -> Operand | None:
    """What of a figure rests on no guess and on nothing unknown: at most the figure, None where nothing.

    No item is negative, so a sum is at least its firm summands.
    """
    if isinstance(node, int) or not isinstance(node, Figure):
        return node if isinstance(node, int) else None
    if trace.firm(node):
        return node
    if not isinstance(node.origin, Computed):
        return None
    rule = _PARTS.get(node.origin.operation)
    return None if rule is None else rule([firm_part(part) for part in node.origin.inputs])


def _sum(parts: list[Operand | None]) -> Operand | None:
    known = [part for part in parts if part is not None]
    return total(known) if known else None


def _largest(parts: list[Operand | None]) -> Operand | None:
    left, right = parts
    if left is None or right is None:
        return right if left is None else left
    return larger(left, right)


def _smallest(parts: list[Operand | None]) -> Operand | None:
    left, right = parts
    return None if left is None or right is None else smaller(left, right)


def _alone(parts: list[Operand | None]) -> Operand | None:
    return parts[0]


_PARTS = {
    "+": _sum,
    "total": _sum,
    "larger": _largest,
    "smaller": _smallest,
    "either": _smallest,
    "ceil": _alone,
}
