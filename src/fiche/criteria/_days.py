"""The day of a piece: what its file prints, or what its author typed; no clock is asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from fiche.kernel.fact import Fact
from fiche.kernel.piece import Piece

# Where files print the day of what they tell.
_DAYS = ("measured_on", "started_at", "date")


def day_of(piece: Piece) -> str:
    """The day of a piece: the earlier one where its file prints another than its author typed."""
    printed = [facts[key].value for facts in _printed(piece) for key in _DAYS if key in facts]
    days = [_parsed(told[:10]) for told in (*printed, piece.date)]
    return min((day.isoformat() for day in days if day is not None), default="")


def _printed(piece: Piece) -> Iterator[dict[str, Fact]]:
    yield dict(piece.reading.facts)
    yield from (dict(run.facts) for run in piece.reading.runs)


def days_between(start: str, end: str) -> int | None:
    """Days from one ISO day to another; None where either is no day."""
    first, last = _parsed(start), _parsed(end)
    return None if first is None or last is None else (last - first).days


def _parsed(iso: str) -> date | None:
    try:
        return date.fromisoformat(iso)
    except ValueError:
        return None
