"""Bytes from counts: the few steps that every item of a training takes."""

from __future__ import annotations

from fiche.estimators._constants import BITS_PER_BYTE
from fiche.kernel.figure import Figure, Node, Operand, Unknown, ceil, floor, smaller, total
from fiche.kernel.unit import BYTE


def bytes_of(values: Operand, bits: Operand) -> Figure:
    """Whole bytes of so many values."""
    return ceil(values * bits / BITS_PER_BYTE)


def each(bits: Operand) -> Figure:
    """Bytes of one value."""
    return bits / BITS_PER_BYTE


def nothing() -> Figure:
    """No bytes: what an item holds where it holds nothing."""
    return total((), BYTE)


def at_least(values: Node, limit: int) -> Figure:
    """1 where a count reaches a limit, 0 where it does not: formulas never branch on a number."""
    return smaller(1, floor(values / limit))


def narrower(bits: Node, limit: int) -> Figure:
    """1 where a value has fewer bits than the limit, 0 where it has as many or more."""
    return smaller(1, floor((limit - 1) / bits))


def product(sides: tuple[Operand, ...]) -> Node:
    """The product of sides, in their order; at least one is a node."""
    nodes = [side for side in sides if isinstance(side, Figure | Unknown)]
    plain = [side for side in sides if not isinstance(side, Figure | Unknown) and side != 1]
    result: Node = nodes[0]
    for side in (*nodes[1:], *plain):
        result = result * side
    return result
