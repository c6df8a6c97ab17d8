"""Quantities as people write them, with their unit: read once, exactly, or refused (B1, law 2).

Every parser takes the raw text and returns a value or a `Misread` that offers all readings.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from fiche.kernel.currency import CURRENCIES
from fiche.kernel.date import parse_date as parse_date
from fiche.kernel.number import Misread as Misread
from fiche.kernel.number import Written, decimal, parse_number, quoted
from fiche.kernel.record import record
from fiche.kernel.unit import BYTE, BYTE_PER_SECOND, HOUR, ONE, WATT, Unit, count_of, money
from fiche.kernel.version import Version as Version
from fiche.kernel.version import parse_version as parse_version


@record
class Quantity:
    """A value in its base unit and the text that said it: `24 GiB` is 25769803776 bytes."""

    value: int | Fraction
    unit: Unit
    text: str


BYTE_UNITS: Mapping[str, int] = {
    "B": 1,
    "bytes": 1,
    **{f"{prefix}B": 1000**power for power, prefix in enumerate("kMGTP", start=1)},
    **{f"{prefix}iB": 1024**power for power, prefix in enumerate("KMGTP", start=1)},
}
_BIT_RATES = {f"{prefix}bit/s": 1000**power for power, prefix in enumerate("kMGT", start=1)}
RATE_UNITS: Mapping[str, Fraction] = {
    **{f"{unit}/s": Fraction(factor) for unit, factor in BYTE_UNITS.items() if unit != "bytes"},
    **{unit: Fraction(factor, 8) for unit, factor in _BIT_RATES.items()},
}
POWER_UNITS: Mapping[str, Fraction] = {
    "W": Fraction(1),
    "kW": Fraction(1000),
    "MW": Fraction(10**6),
}
_SECOND, _MINUTE = Fraction(1, 3600), Fraction(1, 60)
HOURS: Mapping[str, Fraction] = {
    **dict.fromkeys(("s", "second", "seconds"), _SECOND),
    **dict.fromkeys(("min", "minute", "minutes"), _MINUTE),
    **dict.fromkeys(("h", "hour", "hours"), Fraction(1)),
    **dict.fromkeys(("d", "day", "days"), Fraction(24)),
    **dict.fromkeys(("week", "weeks"), Fraction(168)),
}


def parse_bytes(text: str) -> Quantity | Misread:
    """Read an amount of memory into whole bytes (`24 GB`, `22.35 GiB`, `24564 MiB`).

    `24`, `24G`, `24 gb`, `24 Gb` are refused with both readings. A fraction of a byte is rounded to
    the nearest whole one, here and nowhere else.
    """
    written = parse_number(text)
    if isinstance(written, Misread):
        return written
    factor = BYTE_UNITS.get(written.unit)
    if factor is None:
        return _unit_of_bytes(text, written, "")
    return Quantity(value=_nearest(written.value * factor), unit=BYTE, text=text)


def parse_bandwidth(text: str) -> Quantity | Misread:
    """Read a rate into whole bytes per second (`900 GB/s`, `400 Gbit/s`)."""
    written = parse_number(text)
    if isinstance(written, Misread):
        return written
    factor = RATE_UNITS.get(written.unit)
    if factor is None:
        return _unit_of_bytes(text, written, "/s")
    return Quantity(value=_nearest(written.value * factor), unit=BYTE_PER_SECOND, text=text)


def parse_power(text: str) -> Quantity | Misread:
    """Read a power into watts (`300 W`, `0.7 kW`)."""
    return _scaled(text, POWER_UNITS, WATT, "300 W")


def parse_duration(text: str) -> Quantity | Misread:
    """Read a duration into hours (`40 h`, `3 days`).

    A month is no duration: sellers bill 672, 730 or 744 hours for it.
    """
    written = parse_number(text)
    if isinstance(written, Written) and written.unit.lower() in (
        "month",
        "months",
        "m",
        "year",
        "years",
        "y",
    ):
        return _no_duration(text, written)
    return _scaled(text, HOURS, HOUR, "72 h")


def parse_money(text: str) -> Quantity | Misread:
    """Read an amount and its ISO 4217 currency (`47.14 USD`)."""
    written = parse_number(text)
    if isinstance(written, Misread):
        return written
    if written.unit not in CURRENCIES:
        return _currency(text, written)
    return Quantity(value=written.value, unit=money(written.unit), text=text)


def parse_count(text: str, word: str) -> Quantity | Misread:
    """Read a whole number of `word`, in plain digits (`8030261248`, never `8B` or `8k`)."""
    written = parse_number(text)
    if isinstance(written, Misread):
        return written
    if written.unit:
        return _multiple(text, written)
    if written.value.denominator != 1 or "." in written.digits:
        return Misread(
            code="F206",
            message=f"{quoted(text)} is not a whole number",
            hint="a count has no decimals",
        )
    return Quantity(value=int(written.value), unit=count_of(word), text=text)


def parse_ratio(text: str) -> Quantity | Misread:
    """Read a part of one (`0.62`) or a percentage (`62 %`); a bare number above 1 says neither."""
    found = parse_score(text)
    if isinstance(found, Quantity) and found.value > 1 and "%" not in text:
        hundredth = decimal(Fraction(found.value) / 100)
        return Misread(
            code="F211",
            message=f"{quoted(text)} is no part of one",
            hint=f"write {text} % (which is {hundredth}), or a number up to 1",
        )
    return found


def parse_score(text: str) -> Quantity | Misread:
    """Read the value of a metric: a plain number (`0.62`, a perplexity of `5.9`) or `62 %`."""
    written = parse_number(text)
    if isinstance(written, Misread):
        return written
    if written.unit not in ("", "%"):
        return _unknown_unit(written.unit, f"write {written.digits} or {written.digits} %")
    factor = Fraction(1, 100) if written.unit else Fraction(1)
    return Quantity(value=written.value * factor, unit=ONE, text=text)


def _nearest(value: Fraction) -> int:
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def _scaled(
    text: str, units: Mapping[str, Fraction], base: Unit, example: str
) -> Quantity | Misread:
    written = parse_number(text)
    if isinstance(written, Misread):
        return written
    if written.unit in units:
        return Quantity(value=written.value * units[written.unit], unit=base, text=text)
    known = ", ".join(units)
    if not written.unit:
        return Misread(
            code="F201", message=f"{quoted(text)} has no unit", hint=f"write it as in {example}"
        )
    return _unknown_unit(written.unit, f"known units: {known}")


def _unknown_unit(unit: str, hint: str) -> Misread:
    return Misread(code="F203", message=f"unknown unit {quoted(unit)}", hint=hint)


def _unit_of_bytes(text: str, written: Written, per: str) -> Misread:
    """Both readings of a missing or carelessly written unit: powers of ten, powers of two."""
    hint = f"known units: {', '.join(RATE_UNITS if per else BYTE_UNITS)}"
    letter = written.unit[:1].upper() or "G"
    if letter in "KMGTP":
        power = "KMGTP".index(letter) + 1
        ten, two = f"{'k' if letter == 'K' else letter}B{per}", f"{letter}iB{per}"
        hint = f"write {written.digits} {ten} (10^{3 * power} bytes each)"
        hint += f" or {written.digits} {two} (2^{10 * power} bytes each)"
        if per and "b" in written.unit:
            hint += f" or {written.digits} {ten[0]}bit/s (an eighth of {ten})"
    if not written.unit:
        return Misread(code="F201", message=f"{quoted(text)} has no unit", hint=hint)
    if written.unit == "%":
        hint = "write the bytes: no percentage fits every load"
    return _unknown_unit(written.unit, hint)


def _no_duration(text: str, written: Written) -> Misread:
    if written.unit.lower() == "m":
        hint = f"write {written.digits} min, or the hours of so many months"
    elif written.unit.lower().startswith("m"):
        hint = (
            "write the hours that the seller counts: 672 h, 730 h and 744 h are all sold as a month"
        )
    else:
        hint = "write the hours: 8760 h, or 8784 h in a leap year"
    return Misread(code="F210", message=f"{quoted(text)} has no fixed length", hint=hint)


def _currency(text: str, written: Written) -> Misread:
    message = (
        f"unknown currency {quoted(written.unit)}"
        if written.unit
        else f"{quoted(text)} has no currency"
    )
    upper = written.unit.upper()
    hint = f"write {written.digits} {upper if upper in CURRENCIES else 'EUR'}: a code of ISO 4217"
    if upper not in CURRENCIES:
        hint += ", whole units (no cents, no sign such as $)"
    return Misread(code="F209", message=message, hint=hint)


_MULTIPLES = {"k": 1, "m": 2, "b": 3, "g": 3, "t": 4, "bn": 3}


def _multiple(text: str, written: Written) -> Misread:
    """`8k` is 8000 to some and 8192 to others; `7B` is a name, not a count."""
    power = _MULTIPLES.get(written.unit.lower())
    if power is None:
        return Misread(
            code="F206",
            message=f"{quoted(text)} is not a plain count",
            hint=f"write {written.digits}",
        )
    readings = [decimal(written.value * 1000**power)]
    if power < 3:
        readings.append(decimal(written.value * 1024**power))
    return Misread(
        code="F202",
        message=f"{quoted(text)} is a rounded name for a count",
        hint=f"write {' or '.join(readings)}",
    )
