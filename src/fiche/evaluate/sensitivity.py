"""Which assumption or stated choice, if it were otherwise by how much, turns the decision; all else held.

Nothing is judged anew: the formulas of what was compared are asked again with another value at one leaf, and
the one rule reads the bounds that come out. What follows from the structure of a criterion (which piece it
takes, what it leaves open) stays as it is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from fractions import Fraction

from fiche.evaluate._leaves import leaves_of
from fiche.evaluate._varied_leaf import Leaf, State
from fiche.kernel.currency import CURRENCIES, minor_digits
from fiche.kernel.decision import Decision
from fiche.kernel.figure import Figure, Number
from fiche.kernel.origin import Stated
from fiche.kernel.said import tell
from fiche.kernel.settling import Change, Sensitivity, Turn
from fiche.kernel.unit import BYTE, HOUR, ONE, Unit

# How far a value is varied: to this many times itself, or a share up to the whole.
TIMES = 1000
_LOOKED_AT = (2, 4, 16, 64, 256, TIMES)
_PARTS = 8
_SEARCHED = tell("the tool's own, to look for a turn")


def sensitivities(decision: Decision) -> tuple[Sensitivity, ...]:
    """One entry for each figure that could turn something, in the order of the fiche."""
    return tuple(_of(leaf) for leaf in leaves_of(decision))


def _of(leaf: Leaf) -> Sensitivity:
    step = _step(leaf.figure)
    now = leaf.state(_value(leaf.figure))
    below = _turn(leaf, now, step, _downwards(leaf, step), "below")
    above = _turn(leaf, now, step, _upwards(leaf, step), "above")
    return Sensitivity(
        name=leaf.name,
        kind=leaf.kind,
        value=leaf.figure,
        below=below,
        above=above,
        step=_resolution(leaf, step),
    )


def _value(figure: Figure) -> Number:
    """Where a search starts: an assumption with two ends counts by its upper one."""
    return figure.low if figure.high is None else figure.high


def _step(figure: Figure) -> Number:
    """To the byte, the hundredth of an hour, the currency's smallest coin; else to the ten-thousandth."""
    if figure.unit == BYTE:
        return 1
    if figure.unit == HOUR:
        return Fraction(1, 100)
    if str(figure.unit) in CURRENCIES:
        return Fraction(1, 10 ** minor_digits(str(figure.unit)))
    return Fraction(1, 10_000)


def _resolution(leaf: Leaf, step: Number) -> Figure:
    name, label = (
        f"sensitivity.{leaf.name}.resolution",
        tell("{name}: resolution of its turns", name=leaf.name),
    )
    return _stated(step, leaf.figure.unit).named(name, label)


def _downwards(leaf: Leaf, step: Number) -> list[Number]:
    """Values to look at, down to the least: nothing of it, or one step where nothing is no amount."""
    value = _value(leaf.figure)
    least: Number = 0 if leaf.may_be_nothing else step
    if value <= least:
        return []
    if not leaf.is_uneven:
        return [least]
    parts = [value - (value - least) * Fraction(part, _PARTS) for part in range(1, _PARTS + 1)]
    return [*parts[:-1], least]


def _upwards(leaf: Leaf, step: Number) -> list[Number]:
    value = _value(leaf.figure)
    if leaf.figure.unit == ONE and value <= 1:
        parts = [value + (1 - value) * Fraction(part, _PARTS) for part in range(1, _PARTS + 1)]
        return [part for part in parts if part > value]
    if not value:
        return []
    if not leaf.is_uneven:
        return [value * TIMES]
    near = [value * (1 + Fraction(part, _PARTS)) for part in range(1, _PARTS)]
    return [*near, *(value * times for times in _LOOKED_AT)]


def _turn(leaf: Leaf, now: State, step: Number, points: list[Number], side: str) -> Turn:
    """The first of the points that changes something, narrowed to one step; None where none does."""
    value = _value(leaf.figure)
    bound = _figure(leaf, points[-1] if points else value, f"{side}.bound")
    same = value
    for point in points:
        if leaf.state(point) != now:
            at = _nearest(leaf, now, same, point, step)
            changes = tuple(_changes(now, leaf.state(at)))
            return Turn(bound=bound, at=_figure(leaf, at, f"{side}.turn"), changes=changes)
        same = point
    return Turn(bound=bound)


def _nearest(leaf: Leaf, now: State, same: Number, other: Number, step: Number) -> Number:
    """The value nearest to `same`, on the grid of steps, at which something has changed."""

    def changed(value: Number) -> bool:
        return leaf.state(value) != now

    up = other > same
    sign = 1 if up else -1
    # Just beyond each place where two ends may meet: the first that has changed, by halving.
    met = [
        _beyond(one, step, up=up) for one in (() if leaf.tolerance else leaf.crossings(same, other))
    ]
    first = bisect_left(met, True, key=changed)
    if first < len(met):
        for value in (met[first] - sign * step, met[first]):
            if changed(value) and not changed(value - sign * step):
                return value
        other = met[first]
    return _between(changed, same, other, step)


def _beyond(met: Number, step: Number, *, up: bool) -> Number:
    """The first whole number of steps that is past a value."""
    steps = Fraction(met) / step
    return (steps.__floor__() + 1 if up else steps.__ceil__() - 1) * step


def _between(
    changed: Callable[[Number], bool], same: Number, other: Number, step: Number
) -> Number:
    """The value nearest to `same`, on the grid of steps, at which something has changed."""
    up = other > same
    low, high = (
        (0, ((other - same) / step).__ceil__()) if up else (0, ((same - other) / step).__ceil__())
    )

    def at(steps: int) -> Number:
        found = same + steps * step if up else same - steps * step
        return min(found, other) if up else max(found, other)

    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if changed(at(middle)) else (middle, high)
    found = at(high)
    return _on_grid(changed, found, step, up=up)


def _on_grid(changed: Callable[[Number], bool], found: Number, step: Number, *, up: bool) -> Number:
    """A value that can be written: a whole number of steps, still on the far side."""
    steps = (
        found / step
        if isinstance(found, Fraction) or isinstance(step, Fraction)
        else Fraction(found, step)
    )
    near = (steps.__floor__() if up else steps.__ceil__()) * step
    far = (steps.__ceil__() if up else steps.__floor__()) * step
    return near if changed(near) else far


def _figure(leaf: Leaf, value: Number, what: str) -> Figure:
    """A value of the leaf as what it is now and a difference, so that it can be walked back."""
    now = leaf.figure
    name = f"sensitivity.{leaf.name}.{what}"
    label = f"{leaf.name}, {what.replace('.', ': ')}"
    if not now.exact:
        return _stated(value, now.unit).named(name, label)
    if value >= now.low:
        return (now + _stated(value - now.low, now.unit)).named(name, label)
    return (now - _stated(now.low - value, now.unit)).named(name, label)


def _stated(value: Number, unit: Unit) -> Figure:
    return Figure(low=value, high=value, unit=unit, origin=Stated(span=None, because=_SEARCHED))


def _changes(before: State, after: State) -> Iterator[Change]:
    for what in ("first", "status", "reading"):
        was = {key: value for kind, key, value in before if kind == what}
        for kind, key, value in after:
            if kind == what and was.get(key) != value:
                yield Change(what=what, candidate=key, before=was.get(key, ""), after=value)
