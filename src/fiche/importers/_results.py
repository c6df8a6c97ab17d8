"""Results of benchmarks: every figure with its unit, its statistic and its place, as wide as its printing.

A program that writes a number in full means that number; one that rounds it means half a step to
either side. Milliseconds become seconds, exactly; the printed words stay beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from fiche.importers._json import Path, pointer
from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Result
from fiche.kernel.said import tell

# How programs write a unit, the unit that is meant, and how much of it one printed unit is.
UNITS: Mapping[str, tuple[str, Fraction]] = {
    "": ("", Fraction(1)),
    "score": ("score", Fraction(1)),
    "s": ("s", Fraction(1)),
    "sec": ("s", Fraction(1)),
    "ms": ("s", Fraction(1, 10**3)),
    "us": ("s", Fraction(1, 10**6)),
    "ns": ("s", Fraction(1, 10**9)),
    "requests/s": ("requests/s", Fraction(1)),
    "requests/sec": ("requests/s", Fraction(1)),
    "tokens/s": ("tokens/s", Fraction(1)),
    "tokens/sec": ("tokens/s", Fraction(1)),
    "tokens/sec/user": ("tokens/s/user", Fraction(1)),
    "tokens/s/user": ("tokens/s/user", Fraction(1)),
    "tokens": ("tokens", Fraction(1)),
    "requests": ("requests", Fraction(1)),
}
# More figures than any summary holds: a file with a row a request is no summary.
MOST_RESULTS = 20_000
_MOST_WORDS = 400


@dataclass(slots=True)
class Board:
    """Puts figures of one JSON document on a sheet; `line` is where a document of JSON Lines stands."""

    sheet: Sheet
    line: int | None = None

    def put(
        self,
        path: Path,
        value: object,
        metric: str,
        unit: str,
        *,
        stat: str = "",
        label: str = "",
        digits: int | None = None,
        marks: Mapping[str, Any] | None = None,
    ) -> bool:
        """Note the figure at `path`; True where there is one.

        What is null, absent or no number is missing, never zero (C2). `digits` are the decimals that the
        program rounds to; None where it writes numbers in full.
        """
        number = _number(value)
        if number is None:
            if isinstance(value, str):
                self.sheet.warn(
                    tell(
                        "not_a_number: {metric} is written as {value}: there is no figure to compare",
                        metric=f"{label} {metric}" if label else metric,
                        value=f"{value[:40]!r}",
                    )
                )
            return False
        if len(self.sheet.results) >= MOST_RESULTS:
            self.sheet.warn(
                tell(
                    "series_shortened: only the first {most_results} figures are listed",
                    most_results=MOST_RESULTS,
                )
            )
            return False
        self.sheet.results.append(
            figure(
                self.at(path, value), str(value), number, metric, unit,
                stat=stat, label=label, digits=digits, marks=marks,
            )
        )  # fmt: skip
        return True

    def state(self, path: Path, value: object, fact: str) -> None:
        """Note a scope fact that the document states; an empty or missing one is none."""
        if isinstance(value, bool):
            value = str(value).lower()
        if isinstance(value, str | int | Decimal) and str(value).strip():
            self.sheet.fact(self.at(path, value), fact, str(value)[:_MOST_WORDS])

    def at(self, path: Path, value: object) -> Pointer:
        """The place of a value in the document."""
        return pointer(self.sheet.sha256, path, value, self.line)


def figure(
    at: Pointer,
    text: str,
    number: Decimal,
    metric: str,
    unit: str,
    *,
    stat: str = "",
    label: str = "",
    digits: int | None = None,
    marks: Mapping[str, Any] | None = None,
) -> Result:
    """One figure in the unit that is meant, as an interval of what the printing allows."""
    name, factor = UNITS.get(unit, (unit, Fraction(1)))
    half = Fraction(0) if digits is None else Fraction(1, 2 * 10**digits)
    exact = Fraction(number)
    return Result(
        metric=metric,
        text=f"{text} {unit}" if unit and unit != "score" else text,
        low=(exact - half) * factor,
        high=(exact + half) * factor,
        unit=name,
        pointer=at,
        stat=stat,
        label=label,
        marks=dict(marks or {}),
    )


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    return value if isinstance(value, Decimal) and value.is_finite() else None


def members_of(value: object) -> dict[str, Any]:
    """The members of a JSON object; none for anything else."""
    return value if isinstance(value, dict) else {}


def word(value: object) -> str:
    """A word of a document, empty for anything that is none."""
    return value.strip() if isinstance(value, str) else ""


def count(value: object) -> int | None:
    """A whole number that is not negative, None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def fact_at(sheet: Sheet, at: Pointer, path: str, value: str) -> None:
    """Note a fact that stands in a text, where the document itself did not say it."""
    if value and path not in sheet.facts:
        sheet.facts[path] = Fact(value=value[:_MOST_WORDS], address=at)


def day_of(stamp: object) -> str:
    """The day (UTC) of a Unix time in seconds, as ISO 8601; empty where it is none."""
    from datetime import UTC, datetime

    number = _number(stamp)
    if number is None or not 10**8 < number < 10**10:
        return ""
    return datetime.fromtimestamp(int(number), tz=UTC).date().isoformat()
