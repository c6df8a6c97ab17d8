"""The one noun for a number: an interval with a unit and an origin, whose arithmetic is its formula.

Estimators write plain arithmetic on figures; the operations build the expression that `explain`
prints and the report shows, so no formula is written twice (law 1). Nodes compare by identity:
value-equality of a shared graph is exponential.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Final, NoReturn

from fiche.kernel.condition import Condition
from fiche.kernel.origin import Computed, Origin
from fiche.kernel.record import record, replace
from fiche.kernel.unit import ONE, Unit

Number = int | Fraction


class _Arithmetic:
    """Operators shared by figures and unknowns: each returns a computed figure."""

    __slots__ = ()

    def __add__(self, other: Operand) -> Figure:
        return _apply("+", (self, other))

    def __radd__(self, other: int | Fraction) -> Figure:
        return _apply("+", (other, self))

    def __sub__(self, other: Operand) -> Figure:
        return _apply("-", (self, other))

    def __rsub__(self, other: int | Fraction) -> Figure:
        return _apply("-", (other, self))

    def __mul__(self, other: Operand) -> Figure:
        return _apply("*", (self, other))

    def __rmul__(self, other: int | Fraction) -> Figure:
        return _apply("*", (other, self))

    def __truediv__(self, other: Operand) -> Figure:
        return _apply("/", (self, other))

    def __rtruediv__(self, other: int | Fraction) -> Figure:
        return _apply("/", (other, self))

    def __bool__(self) -> NoReturn:
        raise TypeError("a figure has no truth value: formulas never branch on a number")


@record(eq=False)
class Figure(_Arithmetic):
    """A number that can be walked back: `low <= value <= high`, in `unit`, from `origin`.

    Exact means `low == high`; `high=None` is an honest "at least". `id` is unique and qualified
    (`limit.kv_cache`); it is empty for an unnamed step of a formula. Bytes are whole; ratios, hours
    and money are Fractions. `left_out` names what the number does not include (B8).
    """

    low: Number
    high: Number | None
    unit: Unit
    origin: Origin
    id: str = ""
    label: str = ""
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        low, high = self.low, self.high
        if high is not None and high is not low and high < low:
            raise ValueError(f"{self.id or 'figure'}: high {self.high} is below low {self.low}")

    @property
    def exact(self) -> bool:
        """True when the interval is one point."""
        return self.low == self.high

    def named(self, id: str, label: str, *, left_out: tuple[str, ...] = ()) -> Figure:
        """The same number under an id: a name that a report can print and `explain` can walk."""
        return replace(self, id=id, label=label, left_out=left_out or self.left_out)


@record(eq=False)
class Unknown(_Arithmetic):
    """A missing number. In arithmetic it opens the high end and carries its condition (law 1, C2)."""

    condition: Condition
    unit: Unit
    id: str = ""
    label: str = ""
    origin: None = None

    @property
    def low(self) -> Number:
        """Nothing is known, and no quantity here is negative."""
        return 0

    @property
    def high(self) -> None:
        """Open."""
        return None


Node = Figure | Unknown
Operand = Figure | Unknown | int | Fraction
# Asked of every operand: whether something is a Fraction takes ten times as long to tell.
_NODES: Final = (Figure, Unknown)


def floor(value: Operand) -> Figure:
    """The whole number at or below."""
    return _apply("floor", (value,))


def ceil(value: Operand) -> Figure:
    """The whole number at or above."""
    return _apply("ceil", (value,))


def smaller(left: Operand, right: Operand) -> Figure:
    """The smaller of two, such as tokens held under a window."""
    return _apply("smaller", (left, right))


def larger(left: Operand, right: Operand) -> Figure:
    """The larger of two."""
    return _apply("larger", (left, right))


def bare(value: Operand) -> Figure:
    """The same number without the word for what it counts: blocks of tokens are no tokens.

    Raises:
        ValueError: it counts nothing, for it has a dimension (bytes, hours).
    """
    return _apply("bare", (value,))


def total(parts: Iterable[Operand], unit: Unit = ONE) -> Figure:
    """The sum of any number of parts; the sum of none is zero of `unit`."""
    inputs = tuple(parts)
    return _apply("total", inputs or (Figure(low=0, high=0, unit=unit, origin=_NOTHING),))


def either(left: Operand, right: Operand, because: str) -> Figure:
    """The hull of two readings, where what decides between them is untold."""
    return _apply("either", (left, right), because)


def between(low: Figure, high: Figure, grounds: Iterable[Node], because: str) -> Figure:
    """The hull of two values that a search ended at; `grounds` are what it was made with.

    It keeps what it rests on in sight (a guess below it shows), and does not follow it: a search is made anew.
    """
    return _apply("between", (low, high, *grounds), because)


_NOTHING = Computed(operation="total", inputs=())


def reapply(operation: str, operands: tuple[Operand, ...], because: str) -> Figure:
    """Apply an operation by its name, as `trace.reevaluate` does with changed inputs."""
    return _apply(operation, operands, because)


def _apply(
    operation: str, operands: tuple[Operand | _Arithmetic, ...], because: str = ""
) -> Figure:
    inputs = tuple(_node(operand) for operand in operands)
    if operation == "/" and bounds(inputs[1])[1] == 0:
        raise ZeroDivisionError(f"division by {_called(inputs[1])}, which is zero")
    low, high = _BOUNDS[operation]([bounds(node) for node in inputs])
    origin = Computed(operation=operation, inputs=inputs, because=because)
    return Figure(low=low, high=high, unit=_unit(operation, inputs), origin=origin)


def _called(node: Operand) -> str:
    """The name of a number, for who has to give it again."""
    named = "" if isinstance(node, int | Fraction) else node.id or node.label
    return named or "a number"


def _node(operand: Operand | _Arithmetic) -> Figure | Unknown | int | Fraction:
    if isinstance(operand, _NODES) or type(operand) is int or isinstance(operand, Fraction):
        return operand
    raise TypeError(f"not a number of fiche: {operand!r} (floats and truth values are refused)")


def bounds(node: Operand) -> tuple[Number, Number | None]:
    """(low, high) of a node or of a formula's own number."""
    return (node.low, node.high) if isinstance(node, _NODES) else (node, node)


def unit_of(node: Operand) -> Unit:
    """The unit of a node; a formula's own number counts nothing in particular."""
    return node.unit if isinstance(node, _NODES) else ONE


def _unit(operation: str, inputs: tuple[Operand, ...]) -> Unit:
    units = [unit_of(node) for node in inputs]
    if operation == "*":
        return units[0].times(units[1])
    if operation == "/":
        return units[0].per(units[1])
    if operation == "bare":
        return _uncounted(units[0])
    if operation == "between":
        return _common(operation, units[:2])
    return _common(operation, units)


def _uncounted(unit: Unit) -> Unit:
    if not unit.is_count:
        raise ValueError(f"{unit} is no count")
    return ONE


def _common(operation: str, units: list[Unit]) -> Unit:
    """Sums and comparisons want one unit; a bare number may stand among counts only."""
    told = [unit for unit in units if unit != ONE]
    if not told:
        return ONE
    if any(unit != told[0] for unit in told) or (len(told) < len(units) and told[0].powers):
        named = ", ".join(str(unit) or "1" for unit in units)
        raise ValueError(f"{operation} needs one unit, got {named}")
    return told[0]


Bounds = tuple[Number, Number | None]


def _plus(values: list[Bounds]) -> Bounds:
    highs = [high for _, high in values]
    low = sum((low for low, _ in values), 0)
    return low, None if None in highs else sum((h for h in highs if h is not None), 0)


def _minus(values: list[Bounds]) -> Bounds:
    (low, high), (less_low, less_high) = values
    # An open subtrahend leaves only what can never go below zero: a level of bytes, a count.
    below = 0 if less_high is None else low - less_high
    return below, None if high is None else max(high - less_low, below)


def _times(values: list[Bounds]) -> Bounds:
    (low, high), (by_low, by_high) = values
    _not_negative(low, by_low)
    if high == 0 or by_high == 0:
        return 0, 0
    if high is low and by_high is by_low:  # exact: worked out once
        return (exact := low * by_low), exact
    return low * by_low, None if high is None or by_high is None else high * by_high


def _divided(values: list[Bounds]) -> Bounds:
    (low, high), (by_low, by_high) = values
    _not_negative(low, by_low)
    if high is low and by_high is by_low and by_low:  # exact: worked out once
        return (exact := Fraction(low) / by_low), exact
    below: Number = 0 if by_high is None else Fraction(low) / by_high
    return below, None if high is None or by_low == 0 else Fraction(high) / by_low


def _not_negative(*lows: Number) -> None:
    if any(low < 0 for low in lows):
        raise ValueError("products and quotients are defined for quantities that are not negative")


def _rounded(values: list[Bounds], step: int) -> Bounds:
    low, high = values[0]
    return _whole(low, step), None if high is None else _whole(high, step)


def _whole(value: Number, step: int) -> int:
    return value.__floor__() if step < 0 else value.__ceil__()


def _smaller(values: list[Bounds]) -> Bounds:
    highs = [high for _, high in values if high is not None]
    return min(low for low, _ in values), min(highs) if highs else None


def _larger(values: list[Bounds]) -> Bounds:
    highs = [high for _, high in values]
    low = max(low for low, _ in values)
    return low, None if None in highs else max(h for h in highs if h is not None)


def _hull(values: list[Bounds]) -> Bounds:
    return min(low for low, _ in values), _larger(values)[1]


def _ended(values: list[Bounds]) -> Bounds:
    return _hull(values[:2])


def _same(values: list[Bounds]) -> Bounds:
    return values[0]


_BOUNDS = {
    "+": _plus,
    "-": _minus,
    "*": _times,
    "/": _divided,
    "floor": lambda values: _rounded(values, -1),
    "ceil": lambda values: _rounded(values, 1),
    "smaller": _smaller,
    "larger": _larger,
    "total": _plus,
    "either": _hull,
    "bare": _same,
    "between": _ended,
}


def rule(node: Operand) -> Callable[[list[Bounds]], Bounds]:
    """How the bounds of a computed figure follow from those of its inputs.

    Raises:
        TypeError: nothing was computed for this node.
    """
    if not isinstance(node, Figure) or not isinstance(node.origin, Computed):
        raise TypeError(f"not computed: {node!r}")
    return _BOUNDS[node.origin.operation]
