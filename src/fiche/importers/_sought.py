"""What a long log is searched for: the anchors of all importers at once, in one pass over its bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from fiche.importers import _failure_words
from fiche.importers._scan import Word
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
        lines = frozenset(anchor for anchor in anchors if anchor)
        by_word: dict[bytes, tuple[Word, ...]] = {}
        for word in words:
            by_word[word.word] = (*by_word.get(word.word, ()), word)
        self._patterns = tuple(sorted(lines | by_word.keys()))
        self._words = tuple(by_word.get(pattern, ()) for pattern in self._patterns)
        self._is_line = tuple(pattern in lines for pattern in self._patterns)
        self._seen = [0] * len(self._patterns)
        self.longest = max((len(pattern) for pattern in self._patterns), default=1)

    @cached_property
    def _automaton(self) -> _Automaton:
        return _Automaton(self._patterns)

    def places(self, content: bytes, start: int, done: int) -> Iterator[tuple[int, int, Around]]:
        """(start, end, around) of what stands in content[start:] and ends behind `done`, by its end."""
        words, is_line = self._words, self._is_line
        for pattern, left, right in self._automaton.found(content, start):
            at, end = start + left, start + right
            if end <= done:
                continue
            if any(word.fits(content, at) for word in words[pattern]):
                yield at, end, FAILURE
            elif is_line[pattern]:
                yield at, end, self._line(pattern)

    def _line(self, pattern: int) -> Around:
        self._seen[pattern] += 1
        return LINE if self._seen[pattern] <= _SELDOM else OFTEN


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
