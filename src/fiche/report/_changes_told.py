"""What the report of a comparison writes with: phrases of a language, and numbers out of two documents."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from fiche.criteria._words import figure_text
from fiche.kernel.address import Span
from fiche.kernel.difference import Change
from fiche.kernel.figure import Figure, Number
from fiche.kernel.origin import Stated
from fiche.kernel.record import record
from fiche.kernel.unit import Unit
from fiche.report import numbers
from fiche.report.desk import GLYPHS, Filling, parts_of, signed
from fiche.report.parts import (
    Amount,
    Column,
    Missing,
    Part,
    Parts,
    Quoted,
    Row,
    State,
    Table,
    Words,
)
from fiche.report.sentences import bytes_said
from fiche.report.words._language import Language

Document = Mapping[str, Any]


@record(eq=False)
class Sheet:
    """One document, its findings by whom and what they are of, its numbers by how they are written."""

    findings: Mapping[tuple[str, str, str, str], Document]
    figures: Mapping[str, tuple[Document, ...]]

    @classmethod
    def of(cls, document: Document) -> Sheet:
        """Of a decision's document, read or made anew."""
        findings = document["findings"]
        return cls(
            findings={
                (f["candidate"], f["requirement"], f["case"], f["device"]): f for f in findings
            },
            figures=_by_text(document["figures"]),
        )

    def number(self, text: str, name: str) -> Document | None:
        """The number that is written like this and bears the last word of a name; None where none does."""
        last = name.rpartition(".")[2]
        found = (told for told in self.figures.get(text, ()) if last in told["id"].split("."))
        return next(found, None)


@record(kw_only=False)
class Teller:
    """Phrases and numbers in one language; `about` is what the keys of its phrases begin with."""

    language: Language
    about: str = "changes"

    def word(self, key: str) -> str:
        """A phrase without places."""
        return self.language.phrases[f"{self.about}_{key}"]

    def table(self, id: str, caption: str, heads: tuple[str, ...], rows: Iterable[Row]) -> Table:
        """A table whose caption and heads are phrases."""
        return Table(
            id=id,
            caption=self.word(caption),
            columns=tuple(Column(title=self.word(key)) for key in heads),
            rows=tuple(rows),
        )

    def say(self, key: str, **fillings: Filling) -> Parts:
        """A phrase with its places filled."""
        return self.filled(self.word(key), **fillings)

    def counted(self, key: str, count: int) -> Parts:
        """The form of a phrase that goes with a count, which it names `n`."""
        return self.filled(self.language.form(self.word(key), count), n=count)

    def filled(self, form: str, **fillings: Filling) -> Parts:
        """A sentence with places, as parts."""
        found: list[Part] = []
        for text, place, _, _ in string.Formatter().parse(form):
            found += [Words(text)] if text else []
            found += parts_of(fillings[place]) if place is not None else ()
        return tuple(found)

    def kind(self, one: Change) -> str:
        """The kind of a change in words."""
        return self.language.phrases.get(f"changes_kind_{one.kind}", one.kind)

    def verdict(self, code: str) -> State:
        """A verdict with its glyph."""
        return State(code, GLYPHS[code], self.language.verdicts.get(code, code))

    def status(self, code: str) -> State:
        """A candidate's status with its glyph."""
        return State(code, GLYPHS[code], self.language.statuses.get(code, code))

    def number(self, told: Document | None) -> Part:
        """A number of a document with its mark; what is not known says so."""
        figure = None if told is None else figure_of(told)
        if told is None or figure is None or (figure.high is None and figure.low == 0):
            return Missing(self.language.phrases["not_known"])
        return self._amount(told, figure)

    def _amount(self, told: Document, figure: Figure) -> Amount:
        kind = told["basis"] if told.get("basis") in self.language.marks else "unknown"
        return Amount(
            text=signed(numbers.amount(figure, self.language.style)),
            figure=told["id"],
            mark=kind,
            mark_word=self.language.marks[kind][0],
        )

    def value(self, text: str, told: Document | None) -> Parts:
        """One value of a change: a number with its mark where a document lists it, else as it is written."""
        figure = None if told is None else figure_of(told)
        if told is not None and figure is not None:
            return (self._amount(told, figure),)
        plain = bytes_said(self.language.told(text), self.language.style)
        return (Quoted(plain) if plain else Missing(self.word("none")),)

    def legible(self, text: str) -> Parts:
        """A sentence of fiche's own; one read from a document is in English."""
        return (Quoted(bytes_said(self.language.sentence(text), self.language.style)),)


def _by_text(figures: Iterable[Document]) -> Mapping[str, tuple[Document, ...]]:
    found: dict[str, tuple[Document, ...]] = {}
    for told in figures:
        figure = figure_of(told)
        if figure is not None:
            text = figure_text(figure)
            found[text] = (*found.get(text, ()), told)
    return found


def figure_of(told: Document) -> Figure | None:
    """The number that a document writes; None where it is not written as one is."""
    keys = ("low_bytes", "high_bytes", "low", "high")
    one = told.get("bytes", told.get("value"))
    ends = [one, one] if one is not None else [told[key] for key in keys if key in told]
    if len(ends) != 2 or ends[0] is None:
        return None
    try:
        low, high = _number(ends[0]), None if ends[1] is None else _number(ends[1])
        return Figure(low=low, high=high, unit=unit_of(told["unit"]), origin=READ, id=told["id"])
    except (ValueError, ZeroDivisionError):
        return None


def _number(text: object) -> Number:
    exact = Fraction(str(text))
    return exact.numerator if exact.denominator == 1 else exact


# A document's number is told by its own basis; here it only has to be written.
READ = Stated(span=Span(file="", line=1, column=1))
_BASES = frozenset({"B", "h", "s", "W", "kWh", "day", "month"})


def unit_of(text: str) -> Unit:
    """The unit of `str(unit)`: powers of base units, or a word of what is counted."""
    above, _, below = text.partition("/")
    powers: dict[str, int] = {}
    for sign, told in ((1, above.split("*")), (-1, below.split("/"))):
        for each in told:
            base, _, exponent = each.partition("^")
            if each and each != "1":
                powers[base] = sign * int(exponent or 1)
    if all(base in _BASES or (len(base) == 3 and base.isupper()) for base in powers):
        return Unit(tuple(sorted(powers.items())))
    return Unit((), text)
