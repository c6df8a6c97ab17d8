"""Dates as ISO 8601 writes them, and no other way: 03/11/2026 is two days."""

from __future__ import annotations

from datetime import date

from fiche.kernel.lazy import lazy
from fiche.kernel.number import Misread, quoted

_ISO = lazy(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_OTHER = lazy(r"([0-9]{1,2})[./-]([0-9]{1,2})[./-]([0-9]{4})")


def parse_date(text: str) -> date | Misread:
    """Read `2026-11-29`."""
    match = _ISO.fullmatch(text)
    found = _day(match[1], match[2], match[3]) if match else None
    if found is not None:
        return found
    return Misread(
        code="F207", message=f"{quoted(text)} is not a date", hint=f"write {_readings(text)}"
    )


def _day(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _readings(text: str) -> str:
    match = _OTHER.fullmatch(text)
    if match:
        days = (_day(match[3], match[2], match[1]), _day(match[3], match[1], match[2]))
        found = dict.fromkeys(f"{day} (day {day.day}, month {day.month})" for day in days if day)
        if found:
            return " or ".join(found)
    return "a day of the calendar as year-month-day, such as 2026-11-29"
