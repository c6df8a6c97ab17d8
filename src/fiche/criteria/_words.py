"""Numbers in sentences: exact decimals where they are decimals, a fraction where they are not."""

from __future__ import annotations

from fractions import Fraction

from fiche.kernel.figure import Figure, Number
from fiche.kernel.origin import Stated
from fiche.kernel.rates import MONTH
from fiche.kernel.said import Shown
from fiche.kernel.unit import ONE, SECOND

_MOST_DIGITS = 12


def number_text(value: Number) -> str:
    """`47.14` for 2357/50, `60` for 60, `1/3` for what no decimal says."""
    return Shown(_digits(value), value, value, ONE)


def _digits(value: Number) -> str:
    exact = Fraction(value)
    for digits in range(_MOST_DIGITS + 1):
        scaled = exact * 10**digits
        if scaled.denominator == 1:
            return _pointed(scaled.numerator, digits)
    return str(exact)


def figure_text(figure: Figure) -> str:
    """A figure with its unit, as an interval where it is one; times below a second in milliseconds."""
    unit = f" {figure.unit}" if str(figure.unit) else ""
    low, high = figure.low, figure.high
    if figure.unit == MONTH:
        unit = " months"
    if figure.unit == SECOND and max(low, high or 0) < 1:
        unit, low, high = " ms", low * 1000, None if high is None else high * 1000
    text = _digits(low)
    if not figure.exact:
        text += f" to {'open' if high is None else _digits(high)}"
    return Shown(f"{text}{unit}", figure.low, figure.high, figure.unit)


def asked_text(figure: Figure) -> str:
    """A threshold as its author wrote it (`128 GiB`), for whoever is asked to meet it."""
    written = (
        figure.origin.span.text if isinstance(figure.origin, Stated) and figure.origin.span else ""
    )
    return written or figure_text(figure)


def _pointed(scaled: int, digits: int) -> str:
    sign, text = ("-" if scaled < 0 else ""), str(abs(scaled)).rjust(digits + 1, "0")
    return f"{sign}{text[:-digits]}.{text[-digits:]}" if digits else f"{sign}{text}"
