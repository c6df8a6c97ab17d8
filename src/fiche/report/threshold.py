"""A value from which on something changes, rounded so that what is said of the rounded one holds (law 2)."""

from __future__ import annotations

from fractions import Fraction

from fiche.kernel.figure import Node, Number
from fiche.kernel.unit import BYTE
from fiche.report import numbers
from fiche.report.style import TERMINAL, Style

# Below it, bytes are legible as they are.
_MANY = 10**6


def threshold(node: Node, how: Style = TERMINAL, *, is_floor: bool) -> str:
    """Bytes to the hundredth of a GiB, never across the threshold; any other number with every digit.

    Of "this or more" (`is_floor`) the rounded one is no smaller than the exact one, else no larger.
    """
    if not _is_rounded(node):
        return numbers.amount_exact(node, how)
    word, factor = numbers.memory_unit(node.low, "GiB")
    steps = _towards(Fraction(node.low) * 100 / factor, up=is_floor)
    return numbers.rounded(Fraction(steps, 100), 2, how) + how.space + word


def exact_too(node: Node, how: Style = TERMINAL) -> str:
    """The exact bytes of a threshold that is told rounded; empty where rounding changes nothing."""
    is_short = not _is_rounded(node) or numbers.whole(node.low)
    return "" if is_short else numbers.amount_exact(node, how)


def _is_rounded(node: Node) -> bool:
    return node.unit == BYTE and node.high == node.low and max(node.low, -node.low) >= _MANY


def _towards(value: Number, *, up: bool) -> int:
    whole: int = value.__ceil__() if up else value.__floor__()
    return whole
