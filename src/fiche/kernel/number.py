"""Digits as people write them: one reading, or a refusal that offers every reading (B1, law 2)."""

from __future__ import annotations

import re
from fractions import Fraction

from fiche.kernel.lazy import lazy
from fiche.kernel.record import record


@record
class Misread:
    """Why a text has no single reading: a code, what is wrong, and what to write instead."""

    code: str
    message: str
    hint: str


@record
class Written:
    """A number with what stands behind it: `24.5 GiB` is (49/2, "24.5", "GiB")."""

    value: Fraction
    digits: str
    unit: str


_WRITTEN = lazy(r"\s*([+-]?)([0-9.,'’_\s]*?)([eE][+-]?[0-9]{1,3})?\s*([^0-9.,'’_\s].*)?", re.DOTALL)
_PLAIN = lazy(r"(0|[1-9][0-9]*)(?:\.([0-9]+))?")
_GROUPED = lazy(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_OTHER_BASE = lazy(r"0[xX][0-9a-fA-F]{1,16}|0[oO][0-7]{1,22}|0[bB][01]{1,64}")
MAX_LENGTH = 60
MAX_EXPONENT = 40


def parse_number(text: str) -> Written | Misread:
    """Read `digits[.digits] [unit]`.

    Refused: signs, exponents, leading zeros, thousands separators, and one to three digits with
    exactly three decimals (`2.048`), which two halves of the world read differently.
    """
    match = _WRITTEN.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None or not re.search(r"[0-9]", match[2]) or match[1] == "+":
        return _not_a_number(text)
    if match[1]:
        hint = "no quantity here is below zero"
        return Misread(code="F205", message=f"{quoted(text)} is negative", hint=hint)
    if _OTHER_BASE.fullmatch(text):
        hint = f"write {int(text, 0)}"
        return Misread(code="F206", message=f"{quoted(text)} is not in base ten", hint=hint)
    digits, exponent, unit = match[2].strip(), match[3] or "", (match[4] or "").strip()
    if exponent:
        return _exponent(text, digits, exponent, unit)
    if not _PLAIN.fullmatch(digits) or _GROUPED.fullmatch(digits):
        return _ambiguous(text, digits, unit)
    return Written(value=_value(digits), digits=digits, unit=unit)


def quoted(text: str) -> str:
    """A text as it stands in a message: in quotes, cut where nobody would read on."""
    return f"'{text}'" if len(text) <= MAX_LENGTH else f"'{text[: MAX_LENGTH - 1]}…'"


def _value(digits: str) -> Fraction:
    whole, _, decimals = digits.partition(".")
    return Fraction(int(whole + decimals), 10 ** len(decimals))


def _not_a_number(text: str) -> Misread:
    return Misread(
        code="F204",
        message=f"{quoted(text)} is not a number" if text else "a number is missing",
        hint="write digits, a decimal point where needed, then the unit",
    )


def _exponent(text: str, digits: str, exponent: str, unit: str) -> Misread:
    hint = "write the digits in full"
    if _PLAIN.fullmatch(digits) and abs(int(exponent[1:])) <= MAX_EXPONENT:
        value = _value(digits) * Fraction(10) ** int(exponent[1:])
        hint = f"write {_joined(decimal(value), unit)}"
    return Misread(code="F206", message=f"{quoted(text)} has an exponent", hint=hint)


def _ambiguous(text: str, digits: str, unit: str) -> Misread:
    """Offer every reading that a reader of some country may have meant."""
    readings = [_joined(reading, unit) for reading in _readings(digits)]
    wrong = "can be read in two ways" if len(readings) > 1 else "is not written in plain digits"
    hint = f"write {' or '.join(readings)}"
    return Misread(code="F202", message=f"{quoted(text)} {wrong}", hint=hint)


def _readings(digits: str) -> list[str]:
    """The last separator taken as a decimal point, then all of them as thousands separators."""
    marks = re.sub("[0-9]", "", digits)
    if not marks:
        return [digits.lstrip("0") or "0"]
    grouped = re.sub(r"[^0-9]", "", digits).lstrip("0") or "0"
    head, _, tail = digits.replace(marks[-1], ".").rpartition(".")
    decimal_mark = marks[-1] in ".," and marks.count(marks[-1]) == 1 and bool(tail)
    if not decimal_mark:
        return [grouped]
    whole = re.sub(r"[^0-9]", "", head).lstrip("0") or "0"
    pointed = f"{whole}.{tail}" + ("0" if _GROUPED.fullmatch(f"{whole}.{tail}") else "")
    return [pointed] if len(marks) > 1 or not head or head == "0" else [pointed, grouped]


def _joined(digits: str, unit: str) -> str:
    return f"{digits} {unit}".strip()


def decimal(value: Fraction) -> str:
    """A number as decimal digits, exactly (its denominator must divide a power of ten)."""
    digits = 0
    while value * 10**digits != int(value * 10**digits):
        digits += 1
    text = str(int(value * 10**digits)).rjust(digits + 1, "0")
    return f"{text[:-digits]}.{text[-digits:]}" if digits else text
