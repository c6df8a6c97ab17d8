"""What a long log is searched for: the anchors of all importers at once, in one pass over its bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from fiche.importers import _failure_words
from fiche.importers._scan import NEAR, Word
from fiche.kernel.doors import Importer


class Around(NamedTuple):
    """How many bytes are kept before and behind a place; both reach on to the ends of their lines."""

    before: int
    behind: int


# What tells one failure from another: tracebacks, headings of tests, commands, what the program did next.
FAILURE = Around(72 * 1024, 24 * 1024)
LINE = Around(4096, 4096)
# A line that is printed on every step needs no more than what a terminal may have wrapped.
OFTEN = Around(512, 1024)
_SELDOM = 2_000


class Sought:
    """The byte strings to search for, and what is kept around each place where one stands."""

    def __init__(self, anchors: Iterable[bytes], words: Iterable[Word]) -> None:
        """`anchors` count wherever they stand, `words` only among the words that belong to them."""
        by_word: dict[bytes, list[Word]] = {anchor: [] for anchor in anchors if anchor}
        lines = frozenset(by_word)
        led: dict[bytes, list[Word]] = {}
        for word in words:
            if word.adjacent and word.word not in lines:
                for lead in _leads(word):
                    led.setdefault(lead, []).append(word)
            else:
                by_word.setdefault(word.word, []).append(word)
        self._patterns = tuple(sorted(by_word.keys() | led.keys()))
        self._words = tuple(tuple(by_word.get(pattern, ())) for pattern in self._patterns)
        self._led = tuple(tuple(led.get(pattern, ())) for pattern in self._patterns)
        self._is_line = tuple(pattern in lines for pattern in self._patterns)
        self._before = tuple(map(_needed, self._words, self._is_line))
        self._seen = [0] * len(self._patterns)
        # What must be searched again when more of a text has come.
        self.longest = max((len(pattern) for pattern in self._patterns), default=1) + 2 * NEAR

    @cached_property
    def _automaton(self) -> _Automaton:
        return _Automaton(self._patterns)

    def places(self, content: bytes, start: int, done: int) -> Iterator[tuple[int, int, Around]]:
        """(start, end, around) of what stands in content[start:] and ends behind `done`."""
        words, is_line, before = self._words, self._is_line, self._before
        for pattern, left, right in self._automaton.found(content, start):
            at = start + left
            near = before[pattern]
            if near:  # a loop, for this may run on every figure of a log
                front = content[at - NEAR if at > NEAR else 0 : at]
                for word in near:
                    if word in front:
                        break
                else:
                    continue
            if self._led[pattern]:
                yield from _behind(content, at, self._led[pattern], done)
            if start + right <= done:
                continue
            if any(each.fits(content, at) for each in words[pattern]):
                yield at, start + right, FAILURE
            elif is_line[pattern]:
                yield at, start + right, self._line(pattern)

    def _line(self, pattern: int) -> Around:
        self._seen[pattern] += 1
        return LINE if self._seen[pattern] <= _SELDOM else OFTEN


def _needed(words: tuple[Word, ...], is_line: bool) -> tuple[bytes, ...]:
    """What stands near a pattern wherever it counts; nothing where it may count alone."""
    if is_line or not words or not all(word.before for word in words):
        return ()
    return tuple({before for word in words for before in word.before})


# How blanks, colours, line ends and escapes begin: whatever may stand between two words of a message.
_GAPS = (
    *(b"\\", b"\x7f", b"[", b"^[", b"#033", b"\xc2\xa0", b"\xe2", b"\xe3\x80\x80", b"\xef\xbb\xbf"),
    *(bytes([sign]) for sign in range(32)),
)


def _leads(word: Word) -> Iterator[bytes]:
    """Rarer strings of which one stands in front of an adjacent word, or holds it."""
    for before in word.before:
        yield before + word.word
        yield before + b" " + word.word
        yield before + b"  "
        for gap in _GAPS:
            yield before + gap
            yield before + b" " + gap


def _behind(
    content: bytes, lead: int, words: tuple[Word, ...], done: int
) -> Iterator[tuple[int, int, Around]]:
    """The words that their lead promises."""
    for word in words:
        at = content.find(word.word, lead, lead + 2 * NEAR)
        if at + len(word.word) > done and at >= 0 and word.fits(content, at):
            yield at, at + len(word.word), FAILURE


class _Automaton:
    """One search for many strings; the library is imported by the first long log."""

    def __init__(self, patterns: tuple[bytes, ...]) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        self._engine = (
            BytesAhoCorasick(patterns, implementation=Implementation.DFA) if patterns else None
        )

    def found(self, content: bytes, start: int) -> list[tuple[int, int, int]]:
        """(pattern, start, end), offsets counted from `start`; strings may overlap."""
        if self._engine is None:
            return []
        view = memoryview(content)[start:]
        found: list[tuple[int, int, int]] = self._engine.find_matches_as_indexes(
            view, overlapping=True
        )
        return found


def sought(importers: Iterable[Importer]) -> Sought:
    """What these importers read from running logs, and every message of failure.

    The anchors that are words of a failure's message count only where the rest of their message may be.
    """
    words = frozenset(_failure_words.anchors(_failure_words.ALL))
    own = (anchor for one in importers if one.log for anchor in one.anchors)
    return Sought((anchor for anchor in own if anchor not in words), _failure_words.ALL)
