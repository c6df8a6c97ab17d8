"""Numbers as readers see them: rounded once, here, to nearest, with the unit always said (B1, law 2).

Two numbers that a verdict compares are printed together (`pair`): where their rounded texts would
contradict what is true of the exact ones, both cells show exact values instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction

from fiche.kernel.currency import minor_digits
from fiche.kernel.figure import Node, Number
from fiche.kernel.lazy import lazy
from fiche.kernel.rates import MONTH
from fiche.kernel.unit import BYTE, BYTE_PER_SECOND, DAY, HOUR, ONE, SECOND, WATT, Unit
from fiche.report.style import PAGE as PAGE
from fiche.report.style import TERMINAL as TERMINAL
from fiche.report.style import Style as Style

_BINARY: Mapping[str, int] = {"GiB": 2**30, "MiB": 2**20, "KiB": 2**10}
_DECIMAL: Mapping[str, int] = {"GB": 10**9, "MB": 10**6, "kB": 10**3}
_TIMES = ((10**9, "s"), (10**6, "ms"), (10**3, "us"))
_MOST_DECIMALS = 12
# Dates are counted in days from year 1; a difference of two is far below any date in use.
_FIRST_DAY = 500_000
_ISO_DAY = lazy(r"\d{4}-\d{2}-\d{2}")

# The digits of one end of a figure, and what stands behind them.
Printed = tuple[str, str]
_Printer = Callable[[Number], Printed]


def rounded(value: Number, decimals: int, how: Style = TERMINAL, by: int = 1) -> str:
    """A number, over a whole one, with a fixed count of decimals, to nearest; a tie goes away from zero."""
    steps = _steps(value, decimals, by)
    whole, rest = divmod(abs(steps), 10**decimals)
    told = f"{whole:,}".replace(",", how.group)
    if decimals:
        told += how.decimal + str(rest).rjust(decimals, "0")
    return f"-{told}" if steps < 0 else told


def exact(value: Number, how: Style = TERMINAL) -> str:
    """A number with all its decimals, or as a fraction where they never end."""
    if value.denominator == 1:
        return rounded(value, 0, how)
    for decimals in range(_MOST_DECIMALS + 1):
        if value.numerator * 10**decimals % value.denominator == 0:
            return rounded(value, decimals, how)
    return str(Fraction(value))


def exact_bytes(value: Number, how: Style = TERMINAL) -> str:
    """`14 000 000 000 B`."""
    return exact(value, how) + how.space + "B"


def memory(value: Number, unit: str = "GiB", how: Style = TERMINAL) -> str:
    """Bytes in GiB or GB with two decimals, or in a smaller unit of that family below a tenth.

    14 000 000 000 is `14.00 GB` and `13.04 GiB`; a capacity and a need of one table take one unit.
    """
    return _bytes(value, memory_unit(value, unit), how)


def memory_unit(value: Number, unit: str = "GiB") -> tuple[str, int]:
    """The unit that `memory` prints a value in, and how many bytes it is."""
    family = _BINARY if unit in _BINARY else _DECIMAL
    for word, factor in family.items():
        if factor <= family[unit] and 10 * max(value, -value) >= factor:
            return word, factor
    return (unit, family[unit]) if value == 0 else ("B", 1)


def elapsed(nanoseconds: int, how: Style = TERMINAL) -> str:
    """How long something took, in three digits: `49.3 ms`, `1.83 s`, `412 s`; below 1 us in ns."""
    factor, unit = next((each for each in _TIMES if nanoseconds >= each[0]), (1, "ns"))
    taken = Fraction(nanoseconds, factor)
    decimals = 0 if factor == 1 or taken >= 100 else 1 if taken >= 10 else 2
    return rounded(taken, decimals, how) + how.space + unit


def whole(value: Number) -> bool:
    """True where rounding changes nothing: `1.00 GiB` is all of it."""
    _, factor = memory_unit(value, "GiB")
    return Fraction(_steps(value, 2, factor) * factor, 100) == value


def _bytes(value: Number, unit: tuple[str, int], how: Style) -> str:
    return "".join(_split_bytes(value, unit, how))


def _split_bytes(value: Number, unit: tuple[str, int], how: Style, per: str = "") -> Printed:
    word, factor = unit
    digits = rounded(value, 2 if factor > 1 else 0, how, factor)
    return digits, how.space + word + per


def amount(node: Node, how: Style = TERMINAL, unit: str = "GiB") -> str:
    """Any figure: memory in `unit`, money, hours, dates, counts, ratios; intervals and open ends said."""
    if _is_date(node):
        return _dated(node, how)
    one = _printer(node, how, unit)
    return interval(node.low, node.high, how, one)


def difference(node: Node, how: Style = TERMINAL) -> str:
    """A difference with its sign on both sides of zero: `+1.20 GiB`, `-3.00 GiB`, `-0.44 to +0.22 GiB`."""
    one = _printer(node, how, "GiB")
    return interval(node.low, node.high, how, lambda v: _with_plus(v, one(v)))


def _with_plus(value: Number, told: Printed) -> Printed:
    return (f"+{told[0]}" if value > 0 else told[0]), told[1]


def fine(node: Node, how: Style = TERMINAL) -> str:
    """A figure that stands alone: memory below 1 GiB in MiB, so that little of it is rounded away."""
    if node.unit != BYTE:
        return amount(node, how)
    largest = _largest(node)
    if largest == 0:
        return exact_bytes(0, how)
    return amount(node, how, "MiB" if largest < _BINARY["GiB"] else "GiB")


def day(node: Node) -> str:
    """A date as ISO 8601 has it; empty for any other number, and for the days between two dates."""
    return date.fromordinal(int(node.low)).isoformat() if _is_day(node) else ""


def dated(text: str, how: Style = PAGE) -> str:
    """A date of ISO 8601 as the language writes it; any other text stays as it is."""
    if not _ISO_DAY.fullmatch(text):
        return text
    try:
        return how.date(date.fromisoformat(text))
    except ValueError:
        return text


def _is_date(node: Node) -> bool:
    return str(node.unit) == "date" and node.low == node.high


def _is_day(node: Node) -> bool:
    return _is_date(node) and node.low > _FIRST_DAY


def _dated(node: Node, how: Style) -> str:
    if _is_day(node):
        return how.date(date.fromordinal(int(node.low)))
    return exact(node.low, how) + how.space + how.counted("days", node.low)


def bare(node: Node, how: Style = TERMINAL) -> str:
    """A figure without its unit, for a count whose unit the words beside it say."""
    return interval(node.low, node.high, how, lambda value: (exact(value, how), ""))


def percent(node: Node, how: Style = TERMINAL) -> str:
    """A ratio in percent: `20 %`, or as its language writes it."""
    return interval(
        node.low, node.high, how, lambda v: hundredths(exact(Fraction(v) * 100, how), how)
    )


def percented(digits: str, how: Style = TERMINAL) -> str:
    """Digits that are hundredths already, as a percentage."""
    return "".join(hundredths(digits, how))


def hundredths(digits: str, how: Style) -> Printed:
    """Digits with the language's sign for percent; a minus stands before both."""
    before, after = how.percent
    sign = digits[0] if digits[:1] in ("-", "−") else ""
    return sign + before + digits.removeprefix(sign), after


def amount_exact(node: Node, how: Style = TERMINAL) -> str:
    """The same with every digit: bytes as bytes, money and ratios with all their decimals."""
    if _is_date(node):
        return _dated(node, how)
    said = word_of(node.unit, how)
    tail = how.space + said if said else ""
    return interval(node.low, node.high, how, lambda value: (exact(value, how), tail))


def alike(nodes: Sequence[Node], how: Style = TERMINAL) -> list[str]:
    """Amounts of bytes in the smallest unit that one of them takes, so that they can be compared."""
    below = all(_largest(node) < _BINARY["GiB"] for node in nodes)
    units = [_shared_unit(node, "MiB" if below else "GiB") for node in nodes]
    unit = min(units, key=lambda told: told[1], default=("B", 1))
    return [interval(n.low, n.high, how, lambda v: _split_bytes(v, unit, how)) for n in nodes]


def pair(need: Node, have: Node, how: Style = TERMINAL, unit: str = "GiB") -> tuple[str, str]:
    """The texts of two compared figures, which never contradict the exact numbers (law 2).

    Exact values stand in both where two different ends would print alike: for bytes, in GiB *or* in
    GB, because a reader may convert one cell into the unit of the other.
    """
    if _contradict(need, have, unit):
        return amount_exact(need, how), amount_exact(have, how)
    return amount(need, how, unit), amount(have, how, unit)


def _contradict(need: Node, have: Node, unit: str) -> bool:
    """True when two ends that differ print as the same number, or in the other order."""
    ends = [
        (a, b)
        for a in (need.low, need.high)
        if a is not None
        for b in (have.low, have.high)
        if b is not None
    ]
    units = ("GiB", "GB") if need.unit == BYTE else (unit,)
    return any(
        _order(a, b) != _order(_printed(a, need, word), _printed(b, have, word))
        for word in units
        for a, b in _near(ends, max(_step(need, word), _step(have, word)))
    )


def _near(ends: Sequence[tuple[Number, Number]], step: Number) -> list[tuple[Number, Number]]:
    """The ends that rounding could bring together: each moves by half a step at most."""
    return [(a, b) for a, b in ends if -step <= a - b <= step]


def _order(left: Number, right: Number) -> tuple[bool, bool]:
    return left > right, left < right


def _printed(value: Number, of: Node, unit: str) -> Fraction:
    """The number that a reader gets back from the rounded text."""
    if _is_short(of):
        return Fraction(_steps(Fraction(value) * 1000, 2), 100 * 1000)
    factor, decimals = _scale(of, unit)
    return Fraction(_steps(value, decimals, factor) * factor, 10**decimals)


def _scale(of: Node, unit: str) -> tuple[int, int]:
    """What a number is divided by before it is printed, and to how many decimals."""
    if of.unit not in (BYTE, BYTE_PER_SECOND):
        return 1, _decimals(of.unit)
    _, factor = _shared_unit(of, unit)
    return factor, 2 if factor > 1 else 0


def _step(of: Node, unit: str) -> Number:
    """The last digit that is printed, in the number's own unit."""
    if _is_short(of):
        return Fraction(1, 100 * 1000)
    factor, decimals = _scale(of, unit)
    return Fraction(factor, 10**decimals)


def _is_short(of: Node) -> bool:
    """Times below a second, as latencies are told: in milliseconds."""
    return of.unit == SECOND and _largest(of) < 1


def _shared_unit(of: Node, unit: str) -> tuple[str, int]:
    """One unit for both ends of an interval, by the larger of them; rates are decimal."""
    return memory_unit(_largest(of), unit if of.unit == BYTE else "GB")


def _largest(of: Node) -> Number:
    """The larger end of an interval, without its sign."""
    low = max(of.low, -of.low)
    return low if of.high is None else max(low, of.high, -of.high)


def interval(low: Number, high: Number | None, how: Style, one: _Printer) -> str:
    """Both ends, the unit once where they share it: `22.65 to 22.66 GiB`; an open end is said."""
    digits, tail = one(low)
    if high is None:
        return how.open.format(low=digits + tail) if low else how.unknown
    last, last_tail = (digits, tail) if low == high else one(high)
    if (digits, tail) == (last, last_tail):
        return digits + tail
    first = digits if tail == last_tail else digits + tail
    return how.interval.format(low=first, high=last + last_tail)


def _printer(of: Node, how: Style, unit: str) -> _Printer:
    """How both ends of a figure are printed."""
    if of.unit in (BYTE, BYTE_PER_SECOND):
        shared = _shared_unit(of, unit)
        per = "/s" if of.unit == BYTE_PER_SECOND else ""
        return lambda value: _split_bytes(value, shared, how, per)
    if _is_short(of):
        return lambda value: (exact(_printed(value, of, unit) * 1000, how), how.space + "ms")
    word = word_of(of.unit, how)
    tail = how.space + word if word else ""
    if _is_money(of.unit):
        decimals = _decimals(of.unit)
        return lambda value: (_money(value, decimals, of.unit, how), tail)
    if _is_rate(of.unit):
        return lambda value: (exact(value, how), tail)
    # Of an interval the unit goes with its larger end, and is said once.
    most = None if of.high in (None, of.low) else of.high
    # Money keeps its two decimals; what is not money shows no zero that says nothing.
    return lambda value: (
        exact(_printed(value, of, unit), how),
        _counted(value if most is None else most, of.unit, how),
    )


def _counted(value: Number, of: Unit, how: Style) -> str:
    """What is counted, in the form that goes with the count."""
    word = word_of(of, how, value)
    return how.space + word if word else ""


def _decimals(of: Unit) -> int:
    if _is_money(of):
        # The currency's smallest unit; one digit more for what an hour or a card of it costs.
        return minor_digits(_currencies(of)[0]) + (0 if len(of.powers) == 1 else 1)
    return 4 if of == ONE else 3 if of == SECOND else 2


def _money(value: Number, decimals: int, of: Unit, how: Style) -> str:
    """An amount to its smallest unit; a price for something shows one digit more where there is one."""
    ends_in_zero = _steps(value, decimals) % 10 == 0
    return rounded(value, decimals - (len(of.powers) > 1 and ends_in_zero), how)


_WORDS: Mapping[Unit, str] = {
    HOUR: "h",
    SECOND: "s",
    WATT: "W",
    DAY: "days",
    BYTE: "B",
    MONTH: "months",
}


def word_of(of: Unit, how: Style = TERMINAL, count: Number | None = None) -> str:
    """A unit in words of the language, in the form of a count; without one, of many."""
    told = _WORDS.get(of, str(of))
    if told.startswith("1/"):
        return how.per.format(unit=told.removeprefix("1/"))
    if told in how.units:
        return how.counted(told, count)
    # A count of what no language names: as the fiche names it.
    return told.removesuffix("s") if count == 1 and of.is_count else told


def _is_money(of: Unit) -> bool:
    """An amount of one currency, alone or for some other unit (`USD`, `USD/h`)."""
    return bool(_currencies(of)) and not _is_rate(of)


def _is_rate(of: Unit) -> bool:
    """One currency for another (`EUR/USD`): every digit of it counts."""
    return bool(_currencies(of)) and any(
        _is_currency(base) for base, power in of.powers if power < 0
    )


def _currencies(of: Unit) -> list[str]:
    """The currencies that an amount of this unit is in."""
    return [base for base, power in of.powers if power == 1 and _is_currency(base)]


def _is_currency(base: str) -> bool:
    """A code of ISO 4217 has three capitals."""
    return base.isupper() and len(base) == 3


def _steps(value: Number, decimals: int, by: int = 1) -> int:
    # Whole numbers only: a report has thousands of these, and fractions are slow.
    below = value.denominator * by
    steps: int = (2 * abs(value.numerator) * 10**decimals + below) // (2 * below)
    return -steps if value < 0 else steps
