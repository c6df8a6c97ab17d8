"""Inverse questions: the largest value that a card does not exclude, and the largest that fits (D6).

Both are arithmetic, and neither is a verdict: the first says beyond which value the firm floor is more than the
card can have, the second up to which the conservative envelope is not more than it surely has.
"""

from __future__ import annotations

from collections.abc import Callable

from fiche.evaluate.varied import Point, Varied
from fiche.kernel.figure import Bounds, Number
from fiche.kernel.record import record

# No dimension of a workload comes near; what is not reached by here is not limited at all.
TOP = 2**40


@record
class Largest:
    """`value`: the largest that holds, 0 where not even 1 does, None where nothing limits it.

    `limited_by` is the id of the item that takes most at that value, `point` the load there.
    """

    value: int | None
    limited_by: str
    point: Point


@record
class Inverse:
    """The answer to one inverse question; a side is None where it cannot be answered."""

    not_excluded: Largest | None
    fits: Largest | None


def inverse(asked: Varied, most: Number | None, least: Number | None) -> Inverse:
    """`most`: more than this no machine with the card has; `least`: this much it surely has, in bytes.

    What fits is not known where an item that grows with the value has no upper end (fail closed).
    """
    surely = None if asked.unknown else least
    return Inverse(
        not_excluded=None if most is None else _largest(asked, lambda p: p.floor[0] <= most, 0),
        fits=None if surely is None else _largest(asked, lambda p: _at_most(p.envelope, surely), 1),
    )


def _at_most(bounds: Bounds, least: Number) -> bool:
    return bounds[1] is not None and bounds[1] <= least


def _largest(asked: Varied, holds: Callable[[Point], bool], side: int) -> Largest:
    """Bisect: every figure of a load grows with every dimension, so what holds, holds below too."""
    if holds(asked.at(TOP)):
        return Largest(value=None, limited_by="", point=asked.at(TOP))
    low, high = 0, TOP
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(asked.at(middle)) else (low, middle)
    point = asked.at(max(low, 1))
    return Largest(value=low, limited_by=_heaviest(point, side), point=point)


def _heaviest(point: Point, side: int) -> str:
    """The item with the largest low end (side 0), or far end (1)."""
    known = [(name, bounds[side]) for name, bounds in point.items if bounds[side] is not None]
    return max(known, key=lambda item: item[1] or 0, default=("", 0))[0]
