"""Numbers of foreign files: exact, and written so that they have one reading."""

from __future__ import annotations

import re
from fractions import Fraction

_NUMBER = re.compile(r"-?\d{1,24}(?:\.\d{0,24})?(?:[eE][-+]?\d{1,2})?", re.ASCII)
_TWO_READINGS = re.compile(r"[1-9]\d{0,2}\.\d{3}", re.ASCII)


def number(text: str) -> Fraction | None:
    """The exact value of a printed number; None for anything else (nan, thousands separators, words)."""
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def plain(text: str) -> str:
    """A number as our own readers take it: `2.195` would be two numbers to them, `2.1950` is one.

    Digits stay as printed where they can.
    """
    if _TWO_READINGS.fullmatch(text):
        return text + "0"
    if re.fullmatch(r"\d+(?:\.\d+)?", text):
        return text
    return written(Fraction(text))


def written(value: Fraction) -> str:
    """A value as a decimal, to twelve digits behind the point at most."""
    scaled = round(value * 10**12)
    whole, rest = divmod(scaled, 10**12)
    decimals = f"{rest:012}".rstrip("0")
    return plain(f"{whole}.{decimals}") if decimals else str(whole)
