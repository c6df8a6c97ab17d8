"""Rates of work, latencies and terms in months, as people write them: read exactly, or refused (law 2)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from fiche.kernel.number import Misread, Written, parse_number, quoted
from fiche.kernel.quantity import Quantity
from fiche.kernel.unit import SECOND, Unit, count_of

# What a rate counts; a rate of one thing is never compared with that of another.
WORK = ("tokens", "requests", "samples", "steps", "images")
RATES: Mapping[str, Unit] = {f"{word}/s": count_of(f"{word}/s") for word in WORK}
MONTH = Unit((("month", 1),))
_LATENCIES: Mapping[str, Fraction] = {"ms": Fraction(1, 1000), "s": Fraction(1)}
_MONTHS: Mapping[str, int] = {"month": 1, "months": 1, "year": 12, "years": 12}


def parse_throughput(text: str) -> Quantity | Misread:
    """Read a rate of work (`300 tokens/s`, `2.5 requests/s`, `1.2 steps/s`)."""
    written = _written(text, "300 tokens/s")
    if isinstance(written, Misread):
        return written
    if written.unit not in RATES:
        return _unknown(written, f"known units: {', '.join(RATES)}")
    return Quantity(value=written.value, unit=RATES[written.unit], text=text)


def parse_latency(text: str) -> Quantity | Misread:
    """Read a latency into seconds (`800 ms`, `1.5 s`)."""
    written = _written(text, "800 ms")
    if isinstance(written, Misread):
        return written
    if written.unit not in _LATENCIES:
        return _unknown(written, f"known units: {', '.join(_LATENCIES)}")
    return Quantity(value=written.value * _LATENCIES[written.unit], unit=SECOND, text=text)


def parse_months(text: str) -> Quantity | Misread:
    """Read a term into months of the calendar (`36 months`, `3 years`).

    A month has no fixed number of days (F210), so a term in days is another quantity and is refused here.
    """
    written = _written(text, "36 months")
    if isinstance(written, Misread):
        return written
    if written.unit not in _MONTHS:
        return _unknown(written, f"known units: {', '.join(_MONTHS)}; a month has no fixed days")
    return Quantity(value=written.value * _MONTHS[written.unit], unit=MONTH, text=text)


def _written(text: str, example: str) -> Written | Misread:
    found = parse_number(text)
    if isinstance(found, Written) and not found.unit:
        return Misread(
            code="F201", message=f"{quoted(text)} has no unit", hint=f"write it as in {example}"
        )
    return found


def _unknown(written: Written, hint: str) -> Misread:
    return Misread(code="F203", message=f"unknown unit {quoted(written.unit)}", hint=hint)
