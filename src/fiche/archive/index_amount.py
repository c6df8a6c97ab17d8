"""Exact decimals as texts that sort as the numbers do: no database rounds them, and both compare them alike."""

from __future__ import annotations

import re
from fractions import Fraction

_DECIMAL = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?")
# What is longer is kept as a text, and not compared.
LONGEST = 100
_MIDDLE = 500
_NINES = str.maketrans("0123456789", "9876543210")


def amount_key(text: str) -> str:
    """The text that sorts where the decimal does; empty where it is none, or longer than anybody writes."""
    match = _DECIMAL.fullmatch(text) if len(text) <= LONGEST else None
    return "" if match is None else _key(match[1], match[2], match[3] or "")


def bound_key(value: Fraction) -> str:
    """The same of a bound, which may have no end in decimals: it then sorts between those beside it."""
    sign, rest = ("-", -value) if value < 0 else ("", value)
    whole, part = divmod(rest.numerator * 10 ** (3 * LONGEST), rest.denominator)
    digits = str(whole).rjust(3 * LONGEST + 1, "0")
    return _key(sign, digits[: -3 * LONGEST], digits[-3 * LONGEST :] + ("5" if part else ""))


def _key(sign: str, whole: str, decimals: str) -> str:
    digits = (whole + decimals).lstrip("0")
    exponent = len(digits) - len(decimals)
    digits = digits.rstrip("0")
    if not digits:
        return "2"
    if sign:
        return f"1{_MIDDLE - 1 - exponent:03}{digits.translate(_NINES)}~"
    return f"3{_MIDDLE + exponent:03}{digits}"
