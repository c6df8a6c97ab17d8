"""The signs and words that a language and a medium put around digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

from fiche.kernel.figure import Number
from fiche.kernel.record import field, record
from fiche.report.words._en_units import UNITS

_NBSP = "\N{NO-BREAK SPACE}"
# What a language has of CLDR and not of a catalog.
SIGNS = frozenset({"decimal", "group", "space", "percent", "date", "plural"})


@record
class Style:
    """How numbers are written; English on a page, unless told otherwise.

    `percent` is what stands before and after the digits. `units` are the words of what is counted, as
    `one|many` by the word that the unit has; any other unit is a symbol, and the same in every language.
    """

    decimal: str = "."
    group: str = _NBSP
    space: str = _NBSP
    percent: tuple[str, str] = ("", f"{_NBSP}%")
    date: Callable[[date], str] = date.isoformat
    plural: Callable[[Number], int] = lambda n: 0 if n in (1, -1) else 1
    interval: str = "{low} to {high}"
    open: str = "at least {low}"
    unknown: str = "unknown"
    per: str = "per {unit}"
    units: Mapping[str, str] = field(default_factory=lambda: UNITS)

    def counted(self, word: str, count: Number | None = None) -> str:
        """The word of a unit in the form that goes with a count; without one, of many."""
        forms = self.units[word].split("|")
        return forms[-1 if count is None else min(self.plural(count), len(forms) - 1)]


PAGE = Style()
TERMINAL = Style(group=" ", space=" ", percent=("", " %"))
