"""Rules under every reading of what a fiche leaves open: the whole rule at each end, then the hull.

A setting that stands several times in a rule (a block, a state's width) is one setting: the rule is worked
out with one value of it throughout, never with one end here and the other there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from fiche.estimators.engines._parts import Part
from fiche.kernel.figure import Figure, Node, Operand, Unknown, either
from fiche.kernel.origin import Computed
from fiche.kernel.record import record

Value = Node | bool
World = Mapping[str, Value]


@record(eq=False, kw_only=False)
class Axis:
    """One thing that a rule depends on: its two readings (the same twice where it is told) and what decides."""

    name: str
    low: Value
    high: Value
    because: str = ""


def flag(name: str, told: bool | None, because: str) -> Axis:
    """A switch of a rule: both ways where the fiche does not say."""
    return Axis(name, bool(told), told is not False, because)


def hull(axes: tuple[Axis, ...], rule: Callable[[World], tuple[Part, ...]]) -> tuple[Part, ...]:
    """The parts of a rule, each between its ends over all readings.

    The rule makes the same parts, in the same order, under every reading.
    """
    return _hull(axes, {}, rule)


def _hull(
    axes: tuple[Axis, ...], chosen: dict[str, Value], rule: Callable[[World], tuple[Part, ...]]
) -> tuple[Part, ...]:
    if not axes:
        return rule(chosen)
    first, rest = axes[0], axes[1:]
    low = _hull(rest, {**chosen, first.name: first.low}, rule)
    if first.low is first.high:
        return low
    high = _hull(rest, {**chosen, first.name: first.high}, rule)
    return tuple(
        _between(left, right, first.because) for left, right in zip(low, high, strict=True)
    )


def _between(left: Part, right: Part, because: str) -> Part:
    """The hull of a part under two readings; the part itself where they are one formula."""
    if alike(left.node, right.node):
        return left
    return Part(left.item, left.step, left.label, either(left.node, right.node, because))


def alike(left: Operand, right: Operand) -> bool:
    """True when two nodes are one formula: the same steps down to the same named figures."""
    if left is right:
        return True
    if isinstance(left, int | Fraction) or isinstance(right, int | Fraction):
        return not isinstance(left, Figure | Unknown) and left == right
    if left.id or right.id:
        return left.id == right.id
    if not isinstance(left.origin, Computed) or not isinstance(right.origin, Computed):
        return False
    below = left.origin.inputs, right.origin.inputs
    return (
        left.origin.operation == right.origin.operation
        and len(below[0]) == len(below[1])
        and all(alike(one, other) for one, other in zip(*below, strict=True))
    )


def chosen_node(world: World, name: str) -> Node:
    """The figure that this reading takes."""
    found = world[name]
    assert not isinstance(found, bool)
    return found
