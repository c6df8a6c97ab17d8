"""Figures as programs print them: what was printed, its unit, and how the program rounds (habit 3).

A label never chooses a unit here: the caller says how many bytes the program means by it.
"""

from __future__ import annotations

from fiche.kernel.piece import Printed
from fiche.kernel.rounding import printed_interval

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def nearest(
    number: str, label: str, unit_bytes: int, digits: int | None = None, *, signed: bool = False
) -> Printed:
    """A figure rounded to its last decimal; `digits` where the program drops zeros at the end.

    `label` is what stands behind the number, its blank included: `nearest("12.55", "GiB", GIB)`.
    """
    steps = len(number.partition(".")[2]) if digits is None else digits
    return printed_interval(
        f"{number}{label}", unit_bytes, f"nearest-{steps}-digits", signed=signed
    )


def floored(
    number: str, label: str, unit_bytes: int, digits: int | None = None, *, signed: bool = False
) -> Printed:
    """A figure cut down to its last decimal."""
    steps = len(number.partition(".")[2]) if digits is None else digits
    return printed_interval(f"{number}{label}", unit_bytes, f"floor-{steps}-digits", signed=signed)


def about(number: str, label: str, unit_bytes: int) -> Printed:
    """A whole number of which nobody knows how it was rounded: one unit each way."""
    return printed_interval(f"{number}{label}", unit_bytes, "integer-plus-minus-1")


def full(number: str, label: str, unit_bytes: int, *, signed: bool = False) -> Printed:
    """A fraction printed in full, or a count of bytes: whole bytes, exactly."""
    return printed_interval(f"{number}{label}", unit_bytes, "exact", signed=signed)


def grouped(digits: str) -> int:
    """A count with or without thousands marks."""
    return int(digits.replace(",", ""))
