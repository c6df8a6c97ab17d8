"""Grammars of running logs: which line says what, found by its words, read where it begins (C13).

A program's lines are a tuple of `Rule`s. The words find the line at the speed of memory, the pattern says
whether it is the message, and the message must begin on that line: a wrapped one goes on below it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Generic, NamedTuple, TypeVar

from fiche.importers._figures import GIB, full, nearest
from fiche.importers._lines import Line, lines, spaced
from fiche.importers._refusal import refused
from fiche.importers._scan import MAX_MESSAGES
from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Failure, Printed
from fiche.kernel.record import replace

Log = TypeVar("Log", contravariant=True)

# So many lines that only look like a program's are no log of it.
_TRIED = 400
_MORE_THAN_A_PRINT = 6
# Columns at which terminals and viewers wrap.
_NARROWEST, _WIDEST = 40, 300
_HEAD_OF_LINE = lazy(rb"\b(?:INFO|WARN(?:ING)?|ERROR|DEBUG)\b|level=[A-Z]")


class Counter(NamedTuple):
    """What a figure is: the program's name for it, its scope, its statistic, and whose word it is."""

    name: str
    scope: str
    stat: str
    origin: str = "measured"


class Rule(Generic[Log]):
    """One kind of line: words that it holds, its pattern, and who reads it.

    Of several `words` one is enough: others find the message where a wrap runs through the first. `whole`
    where the message goes on after what must be there: a wrapped rest belongs to it.
    """

    def __init__(
        self,
        words: str | tuple[str, ...],
        source: str,
        read: Callable[[Log, Line, re.Match[str]], None],
        *,
        whole: bool = False,
    ) -> None:
        """`source` is for `_lines.spaced`: a blank in it stands for any blanks or none."""
        self.words = (words,) if isinstance(words, str) else words
        self.pattern, self.read, self.whole = spaced(source), read, whole
        self.anchors = tuple(word.encode() for word in self.words)

    def fits(self, line: Line) -> tuple[Line, re.Match[str]] | None:
        """The message and the line that it begins on: this one, or the one before if that is wrapped."""
        if not self._spoken(line):
            return None
        found = self._from(line)
        if found is not None:
            return line, found
        before = _wrapped_before(line)
        if before is None or self._spoken(before):
            return None
        found = self._from(before)
        if found is None or found.end() <= len(before.text):
            return None
        return before, found

    def _spoken(self, line: Line) -> bool:
        text = line.text
        if any(word in text for word in self.words):
            return True
        find, start, stop = line.content.find, line.start, line.stop
        return any(find(anchor, start, stop) >= 0 for anchor in self.anchors)

    def _from(self, line: Line) -> re.Match[str] | None:
        found = line.search(self.pattern)
        if found is None or found.start() >= len(line.text):
            return None
        if self.whole:
            more = self.pattern.match(line.joined, found.start())
            found = more if more is not None and more.end() > found.end() else found
        return found


def _wrapped_before(line: Line) -> Line | None:
    """The line before, where this one may be its wrapped rest: it has no head of a logger of its own."""
    if _HEAD_OF_LINE.search(line.content, line.start, min(line.stop, line.start + _WIDEST)):
        return None
    before = line.before()
    if before is None or not _NARROWEST <= before.stop - before.start <= _WIDEST:
        return None
    return before


def words_of(*groups: Sequence[Rule[Log]]) -> tuple[bytes, ...]:
    """The words that find the lines of some rules, for `Importer.anchors`."""
    return tuple(dict.fromkeys(a for rules in groups for rule in rules for a in rule.anchors))


def said(content: bytes, rules: Sequence[Rule[Log]]) -> bool:
    """True where the text holds at least one message of these rules."""
    for tried, line in enumerate(lines(content, words_of(rules))):
        if any(rule.fits(line) is not None for rule in rules):
            return True
        if tried >= _TRIED:
            return False
    return False


def read_all(log: Log, content: bytes, rules: Sequence[Rule[Log]]) -> None:
    """Hand each line to the rules that it fits, in the order of the text.

    A line that only continues a wrapped message is that message's, and is read with it.
    """
    eaten = 0
    for line in lines(content, words_of(rules)):
        if line.start < eaten:
            continue
        for rule in rules:
            fit = rule.fits(line)
            if fit is not None:
                first, found = fit
                rule.read(log, first, found)
                if found.end() > len(first.text):
                    eaten = max(eaten, first.reach(found.end()))
                if first is not line:
                    break


def note(
    sheet: Sheet,
    line: Line,
    counter: Counter,
    value: Printed | int | Fraction,
    *,
    device_index: int | None = None,
    rank: int | str | None = None,
    label: str = "",
    unit: str = "",
    marks: dict[str, Any] | None = None,
) -> None:
    """One figure of a counter; its rank is `rank` alone, whatever the line's prefix shows."""
    sheet.see(
        sheet.place(line),
        counter.name,
        value,
        scope=counter.scope,
        stat=counter.stat,
        origin=counter.origin,
        unit=unit,
        device_index=device_index,
        rank=rank,
        label=label,
        marks=sheet.marked(line, rank, marks),
    )


def gib(number: str, label: str = " GiB", least_digits: int = 2) -> Printed:
    """A figure in units of 2**30 bytes, whatever its label; programs that drop zeros print 15.3, 2.0.

    A fraction of more than six digits was not rounded: it is taken as it stands.
    """
    digits = len(number.partition(".")[2])
    signed = number.startswith("-")
    if digits > _MORE_THAN_A_PRINT:
        return full(number, label, GIB, signed=signed)
    return nearest(number, label, GIB, max(least_digits, digits), signed=signed)


def bounded(count: int, place: Pointer) -> None:
    """Refuse a file of more failures than a log can have.

    Raises:
        Refused: F427.
    """
    if count >= MAX_MESSAGES:
        message, hint = "too many messages of failure in one file", "cite the part that matters"
        raise refused("F427", message, place.sha256, line=place.line, hint=hint)


class Refusals:
    """Failures that a program prints more than once: in its log, in a traceback, by each wrapper.

    The same words from the same process are one event until the program starts anew.
    """

    def __init__(self, sheet: Sheet) -> None:
        """Failures go to the sheet, repeats to its count."""
        self._sheet = sheet
        self._seen: set[tuple[object, ...]] = set()

    def add(self, line: Line, failure: Failure, words: str) -> bool:
        """Note a failure; `words` are what tells it from another one. False for a repeat."""
        service = line.speaker.service
        key = (service, words, failure.rank, line.speaker.pid)
        anonymous = (service, words, failure.rank, None)
        if key in self._seen or (line.speaker.pid is not None and anonymous in self._seen):
            self._sheet.duplicate_messages += 1
            return False
        self._seen.add(key)
        bounded(len(self._sheet.failures), failure.pointer)
        who = line.speaker if failure.rank is None else line.speaker._replace(pid=None, host=None)
        self._sheet.failures.append(replace(failure, speaker=who.name))
        return True

    def start_anew(self, line: Line) -> None:
        """A new run of the program begins on a line: what it prints from here on is another event."""
        service = line.speaker.service
        self._seen = {key for key in self._seen if key[0] != service}
