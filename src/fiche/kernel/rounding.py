"""The interval of bytes that a printed quantity allows, by how its program rounds (B1, law 2)."""

from __future__ import annotations

from fractions import Fraction

from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed

_NUMBER = lazy(r"\s*([+-]?[0-9]+(?:\.[0-9]+)?)")
_STEPPED = lazy(r"(nearest|floor)-([0-9]{1,2})-digits")


def printed_interval(text: str, unit_bytes: int, rounding: str, *, signed: bool = False) -> Printed:
    """Read the number at the start of `text`, in units of `unit_bytes`, as an interval of bytes.

    `rounding` is how the program rounds: `exact`, `nearest-N-digits` (half a step of the Nth decimal
    to either side), `floor-N-digits` (from the figure to just below the next step),
    `integer-plus-minus-1` (one unit each way), `lower-bound` ("more than"). The interval is a
    superset, in whole bytes, cut at 0 unless `signed` (differences can be negative).

    Raises:
        ValueError: the text starts with no number, or the rounding is unknown.
    """
    match = _NUMBER.match(text)
    if match is None:
        raise ValueError(f"no number at the start of {text!r}")
    value = Fraction(match[1]) * unit_bytes
    low, high = _bounds(value, unit_bytes, rounding)
    floor = low.__ceil__() if signed else max(0, low.__ceil__())
    return Printed(
        text=text,
        unit_bytes=unit_bytes,
        value=(value + Fraction(1, 2)).__floor__(),
        low=floor,
        high=None if high is None else max(floor, high.__floor__()),
        rounding=rounding,
    )


def _bounds(value: Fraction, unit: int, rounding: str) -> tuple[Fraction, Fraction | None]:
    if rounding == "exact":
        # A count of bytes, or a fraction printed in full: whole in either case.
        whole = Fraction((value + Fraction(1, 2)).__floor__())
        return whole, whole
    if rounding == "lower-bound":
        return value, None
    if rounding == "integer-plus-minus-1":
        return value - unit, value + unit
    return _stepped(value, unit, rounding)


def _stepped(value: Fraction, unit: int, rounding: str) -> tuple[Fraction, Fraction]:
    match = _STEPPED.fullmatch(rounding)
    if match is None:
        raise ValueError(f"unknown rounding {rounding!r}")
    step = Fraction(unit, 10 ** int(match[2]))
    if match[1] == "nearest":
        return value - step / 2, value + step / 2
    return value, Fraction((value + step).__ceil__() - 1)


def exact_bytes(count: int, text: str = "") -> Printed:
    """A count of bytes that a program wrote in full, in decimal digits or as `text` shows."""
    return Printed(
        text=text or str(count), unit_bytes=1, value=count, low=count, high=count, rounding="exact"
    )


def bounds_only(text: str, low: int, high: int | None) -> Printed:
    """A quantity that follows from others: no printed figure, only the interval (rounding `bounds`)."""
    return Printed(text=text, unit_bytes=None, value=None, low=low, high=high, rounding="bounds")


def unavailable(text: str) -> Printed:
    """A figure that a program printed as "not available": missing, never zero and never huge (C2)."""
    return Printed(
        text=text,
        unit_bytes=None,
        value=None,
        low=None,
        high=None,
        rounding="bounds",
        unavailable=True,
    )
