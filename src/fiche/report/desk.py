"""What every section writes with: the words of a language, and every number under its public name."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fiche.kernel import trace
from fiche.kernel.decision import Decision
from fiche.kernel.figure import Figure, Node, Unknown
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.lazy import lazy
from fiche.kernel.ledger import Ledger, ledger
from fiche.kernel.origin import Computed, Observed
from fiche.kernel.places import Places
from fiche.kernel.record import field, record
from fiche.kernel.said import Short, Told
from fiche.kernel.spoken import spoken
from fiche.report import numbers
from fiche.report.parts import (
    Amount,
    Cell,
    Code,
    Column,
    Missing,
    Part,
    Parts,
    Quoted,
    Reference,
    Row,
    State,
    Words,
)
from fiche.report.sentences import bytes_said
from fiche.report.words._language import Language
from fiche.report.words.en import MEMBER as ENGLISH

GLYPHS = {
    **dict.fromkeys(("admissible", "retained"), "●"),
    "to_confirm": "▲",
    **dict.fromkeys(("exclude", "excluded"), "✕"),
}
# A guess and a hole are what a computed number must not hide (E2); other kinds are firm.
_NOT_FIRM = ("unknown", "assumed")
# What is to be typed as it stands, in a told text.
_NAMED = lazy(r"`([^`\n]+)`")
# A hyphen before digits, not inside a name.
_MINUS = lazy(r"(?<!\w)-(?=%?\d)")
# Signs of comparison as they are typed, and as they are read; a line never ends inside one of these.
_SIGNS = ((">=", "≥"), ("<=", "≤"), ("!=", "≠"))
Filling = Part | Parts | str | int


@record
class Desk:
    """One decision, one language, one ledger of names.

    `kept_apart` holds what several sections work out of the decision alone, once, by name.
    """

    decision: Decision
    book: Ledger
    language: Language
    style: numbers.Style
    places: Places
    _amounts: dict[tuple[str, str], Amount] = field(default_factory=dict)
    _sides: dict[int, tuple[Parts, Parts]] = field(default_factory=dict)
    _phrases: dict[str, tuple[tuple[str, str | None], ...]] = field(default_factory=dict)
    kept_apart: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, decision: Decision, words: Language = ENGLISH) -> Desk:
        """Set up for one report."""
        return cls(
            decision=decision,
            book=ledger(decision),
            language=words,
            style=words.style,
            places=Places.of(decision.fiche),
        )

    # --- Words ------------------------------------------------------------------------------

    def word(self, key: str) -> str:
        """A phrase without places."""
        return self.language.phrases[key]

    def counted(self, key: str, count: int) -> str:
        """The form of a noun that goes with a count."""
        return self.language.form(self.word(key), count)

    def say(self, key: str, **fillings: Filling) -> Parts:
        """A phrase with its places filled: parts stay parts, text becomes the report's own words."""
        found: list[Part] = []
        if key not in self._phrases:
            parsed = string.Formatter().parse(self.word(key))
            self._phrases[key] = tuple((text, place) for text, place, _, _ in parsed)
        for text, place in self._phrases[key]:
            if text:
                found.append(Words(text))
            if place is not None:
                found.extend(parts_of(fillings[place]))
        return tuple(found)

    def told(self, text: str) -> str:
        """A text of fiche's own in this language; what people wrote stays as it is."""
        return self.language.told(text)

    def term(self, code: str) -> str:
        """A code in words; one without a word shows itself."""
        known = self.language.terms.get(code)
        return known or self.told(code if isinstance(code, Told) else spoken(code))

    def topic(self, code: str) -> str:
        """The topic of a condition in words."""
        return self.language.topics.get(code, self.term(code))

    def open_on(self, found: Finding) -> str:
        """The topics that keep a finding open; empty where something else decides it."""
        topics = dict.fromkeys(self.topic(condition.topic) for condition in found.conditions)
        if not topics or not (found.reason == "open" or _points_overlap(found)):
            return ""
        return self.word("open_on").format(topics=", ".join(topics))

    # --- Numbers ----------------------------------------------------------------------------

    def amount(self, node: Node | None, text: str = "") -> Part:
        """A number with its mark; what is not known says so. `text` replaces the rounded text."""
        if node is None or isinstance(node, Unknown) or (node.high is None and node.low == 0):
            return Missing(self.word("not_known"))
        listed = self.book.of(node)
        return self.listed(listed, text)

    def listed(self, node: Node, text: str = "") -> Part:
        """The same for a number that the ledger lists already."""
        key = (node.id, text)
        if key not in self._amounts:
            self._amounts[key] = self._amount(node, text)
        return self._amounts[key]

    def _amount(self, node: Node, text: str) -> Amount:
        kind = trace.basis(node)
        mark, _ = self.language.marks[kind]
        weak = [k for k in self.book.rests_on(node) if k in _NOT_FIRM and k != kind]
        included = ", ".join(self._weak(kind) for kind in weak)
        includes = self.word("includes").format(kinds=included) if included else ""
        assert isinstance(node, Figure)
        return Amount(
            text=signed(text or numbers.amount(node, self.style)),
            figure=node.id,
            mark=kind,
            mark_word=mark,
            includes=includes if isinstance(node.origin, Computed) else "",
        )

    def _weak(self, kind: str) -> str:
        """The mark of what a number rests on; what is not known has a word, since its mark is a sign."""
        return self.style.unknown if kind == "unknown" else self.language.marks[kind][0]

    def exactly(self, node: Node) -> str:
        """The same number to the last byte or digit."""
        return signed(numbers.amount_exact(node, self.style))

    def difference(self, node: Node) -> Part:
        """A distance with its sign on both sides of zero."""
        return self.amount(node, numbers.difference(node, self.style))

    def count(self, node: Node, noun: str = "") -> Part:
        """A count with the noun that goes with it; bare digits where words beside it say what."""
        bare = numbers.bare(node, self.style)
        return self.amount(node, f"{bare}{self.style.space}{noun}" if noun else bare)

    def measured(self, node: Figure | None) -> Part:
        """A reading of a piece; what no program printed is not measured, never zero (C2)."""
        return Missing(self.word("not_measured")) if node is None else self.listed(node)

    def alike(self, nodes: Sequence[Figure | None]) -> list[Part]:
        """Readings of one instant in one unit; what was not printed is not measured (C2)."""
        texts = iter(numbers.alike([n for n in nodes if n is not None], self.style))
        return [self.measured(n) if n is None else self.listed(n, next(texts)) for n in nodes]

    def compared(self, found: Finding) -> tuple[Parts, Parts]:
        """The two sides of a finding, printed so that they cannot contradict its verdict (law 2)."""
        if id(found) not in self._sides:
            self._sides[id(found)] = self._compared(found)
        return self._sides[id(found)]

    def _compared(self, found: Finding) -> tuple[Parts, Parts]:
        need, have = found.need, found.have
        texts = ("", "")
        if need is not None and have is not None and str(need.unit) != "date":
            texts = numbers.pair(need, have, self.style)
        return (
            self._side(need, found.need_words, texts[0]),
            self._side(have, found.have_words, texts[1]),
        )

    def _side(self, node: Node | None, words: str, text: str) -> Parts:
        if node is None and words:
            return self.legible(words)
        return (self.amount(node, text),)

    def definition(self, node: Node | None) -> Parts:
        """What was counted, so that only quantities of one definition are compared (B1)."""
        if node is None or node.origin is None:
            return ()
        if isinstance(node.origin, Observed):
            word = self.language.terms.get(f"counter.{node.origin.counter}")
            return (Words(word) if word else Quoted(node.origin.counter),)
        label = short_label(node)
        return (Quoted(self.term(label)),) if label else ()

    def kept(self) -> Parts:
        """The stated margins, which are to stay free beside the need (D5)."""
        margins = self.decision.fiche.workload.margin
        return joined([self.amount(margin) for margin in margins], " + ")

    # --- Marks and links --------------------------------------------------------------------

    def state(self, code: str, words: Mapping[str, str]) -> State:
        """Glyph and word of a verdict, a status or an answer."""
        return State(code, GLYPHS[code], words[code])

    def verdict(self, verdict: Verdict) -> State:
        """Glyph and word of a verdict."""
        return self.state(verdict.code, self.language.verdicts)

    def status(self, code: str) -> State:
        """Glyph and word of a candidate's status."""
        return self.state(code, self.language.statuses)

    def references(self, pieces: Iterable[str]) -> Parts:
        """Links to pieces, or the word that there are none."""
        found = [Reference(piece) for piece in pieces]
        return joined(found) if found else (Missing(self.word("no_piece")),)

    def device(self, index: int | None) -> Parts:
        """A device as the piece names it; one that is not named says so."""
        if index is None:
            return (Missing(self.word("no_device")),)
        return self.say("device_index", index=index)

    def legible(self, text: str, *, exact: bool = True) -> Parts:
        """Quoted text in which long counts of bytes are said in GiB, and signs are typographic.

        The exact bytes stand beside what rounding changes, unless they stand elsewhere; a range of sightings is
        only told.
        """
        told = bytes_said(self.language.told(text), self.style, exact=exact)
        for typed, sign in _SIGNS:
            told = told.replace(typed, sign)
        pieces = _NAMED.split(told)
        parts = (Code(one) if place % 2 else Quoted(one) for place, one in enumerate(pieces))
        return tuple(part for part in parts if part.text)


def _points_overlap(found: Finding) -> bool:
    """Two single numbers overlap only because more may come: "the intervals overlap" would say nothing."""
    sides = (found.need, found.have)
    points = all(isinstance(side, Figure) and side.exact for side in sides)
    return found.reason == "overlap" and points


def short_label(node: Node) -> str:
    """A label without its explanation, or the id."""
    return Short(node.label) or node.id


def parts_of(filling: Filling) -> Parts:
    """A filling as parts."""
    if isinstance(filling, tuple):
        return filling
    if isinstance(filling, int):
        return (Words(str(filling)),)
    # A told text keeps its class, by which another language finds it.
    return (Words(filling),) if isinstance(filling, str) else (filling,)


def joined(parts: Iterable[Part | Parts], between: str = ", ") -> Parts:
    """Parts with words between them."""
    found: list[Part] = []
    for part in parts:
        if found:
            found.append(Words(between))
        found.extend(parts_of(part))
    return tuple(found)


def cell(*lines: Filling | None, numeric: bool = False) -> Cell:
    """A cell of one line or several; None is no line."""
    told = tuple(parts_of(line) for line in lines if line is not None and line != ())
    return Cell(lines=told, numeric=numeric)


def row(
    *cells: Cell | Filling, anchor: str = "", candidate: str = "", requirement: str = ""
) -> Row:
    """A row; its first cell heads it."""
    return Row(
        cells=tuple(c if isinstance(c, Cell) else cell(c) for c in cells),
        anchor=anchor,
        candidate=candidate,
        requirement=requirement,
    )


def group(*parts: Part) -> Row:
    """A row of one cell that heads the rows below it."""
    return Row(cells=(Cell(lines=(parts,)),), group=True)


def columns(desk: Desk, *keys: str) -> tuple[Column, ...]:
    """Columns by phrase; `key:number` and `key:narrow` tell the kind."""
    told = (key.partition(":") for key in keys)
    return tuple(Column(title=desk.word(key), kind=kind or "text") for key, _, kind in told)


def signed(text: str) -> str:
    """A minus sign, which is as wide as a figure, where a hyphen stood."""
    return _MINUS.sub("−", text) if "-" in text else text
