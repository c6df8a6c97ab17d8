"""A scale of a picture: how far apart its marks stand, and what stands at them."""

from __future__ import annotations

from fractions import Fraction

from fiche.kernel.figure import Number
from fiche.report import numbers

UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


def step(most: Fraction, steps: int) -> Fraction:
    """The smallest of 1, 2 and 5 times a power of ten of which `steps` reach `most`."""
    power = Fraction(1, 10**9)
    while power * 10 * steps < most:
        power *= 10
    return next(power * n for n in (1, 2, 5, 10) if power * n * steps >= most)


def plain(value: Fraction, how: numbers.Style) -> str:
    """A round number with the decimals that it has."""
    decimals = next(n for n in range(12) if (value * 10**n).denominator == 1)
    return numbers.rounded(value, decimals, how)


def unit_of(most: Number) -> tuple[str, int]:
    """The unit of a scale of memory that reaches `most` bytes, and how many bytes it is."""
    return next((unit for unit in UNITS if most >= unit[1]), UNITS[-1])


def marks(most: Number, steps: int, how: numbers.Style) -> tuple[list[tuple[Fraction, str]], str]:
    """(bytes, label) of marks from zero up to `most`, and the unit of the labels."""
    unit, factor = unit_of(most)
    apart = step(Fraction(most) / factor, steps)
    count = int(Fraction(most) / factor / apart)
    return [(n * apart * factor, plain(n * apart, how)) for n in range(count + 1)], unit
