"""What an entry becomes in the tables of an index."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter

from fiche.archive.entry import Entry, Row
from fiche.archive.identity import is_id
from fiche.archive.index_amount import amount_key
from fiche.archive.index_columns import TEXTS, WORDS
from fiche.archive.index_texts import folded, kept, together

# Other names of a word: those of a card, where a catalog has it.
Aliases = Callable[[str, str], Iterable[str]]
Line = tuple[object, ...]

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# The most that a database counts to; what claims more is a lie about a file.
_MOST = 2**63 - 1
_REMEMBERED = 50_000
_words_of = attrgetter(*WORDS)
_texts_of = attrgetter(*TEXTS)


def no_aliases(_kind: str, _text: str) -> Iterable[str]:
    """No word has another name."""
    return ()


def day_of(date: str) -> str:
    """The day that a moment begins with; empty where it begins with none."""
    match = _DAY.match(date)
    return match[0] if match else ""


class Words:
    """The numbers of words: those that an index has, and new ones, every so many of them.

    Two that count apart may give one word two numbers: whoever looks for a word finds both.
    """

    def __init__(
        self,
        known: Iterable[tuple[int, str, str]],
        aliases: Aliases,
        first: int | None = None,
        step: int = 1,
    ) -> None:
        self._numbers = {(kind, text): n for n, kind, text in known}
        last = max(self._numbers.values(), default=0)
        self._next, self._step = last + 1 if first is None else first, step
        self._aliases = aliases
        self._new: list[Line] = []
        self._together: dict[tuple[str, ...], tuple[int | None, ...]] = {}

    def of(self, texts: tuple[str, ...]) -> tuple[int | None, ...]:
        """The numbers of all words of a row; most rows say what one before them said."""
        found = self._together.get(texts)
        if found is None:
            found = tuple(map(self.number, WORDS, texts))
            if len(self._together) >= _REMEMBERED:
                self._together.clear()
            self._together[texts] = found
        return found

    def number(self, kind: str, text: str) -> int | None:
        """The number of a word; None for an empty one."""
        if not text:
            return None
        found = self._numbers.get((kind, text))
        return self._learnt(kind, text) if found is None else found

    def _learnt(self, kind: str, text: str) -> int:
        told = kept(text)
        found = self._numbers.get((kind, told))
        if found is None:
            found, self._next = self._next, self._next + self._step
            self._new.append((found, kind, told, folded(text), also(self._aliases(kind, told))))
        # Under both, so that a word that cannot be kept as it is gets one number all the same.
        self._numbers[kind, told] = self._numbers[kind, text] = found
        return found

    def taken(self) -> list[Line]:
        """The lines of words that are new since the last call."""
        new, self._new = self._new, []
        return new


def also(names: Iterable[str]) -> str:
    """Other names, each between line ends, so that a whole one can be told from a part."""
    listed = together(names)
    return f"\n{listed}\n" if listed else ""


def lines_of(entry: Entry, n: int, words: Words) -> Mapping[str, Sequence[Line]]:
    """The lines of an entry, by table; those of new words stay with `words`."""
    return {
        "entries": (_entry(entry, n),),
        "files": tuple(_files(entry, n)),
        "rows": tuple(_row(row, n, place, words) for place, row in enumerate(entry.rows)),
        "supersedes": tuple(_supersedes(entry, n)),
        "labels": tuple(_labels(entry, n)),
    }


def _entry(entry: Entry, n: int) -> Line:
    texts = map(kept, _texts_of(entry))
    num_bytes = min(sum(one.num_bytes for one in entry.files), _MOST)
    counts = len(entry.rows), len(entry.files), num_bytes
    day = day_of(entry.date) or day_of(entry.added)
    return (n, *texts, day, together(about(entry)), folded(entry.rights), *counts)


def about(entry: Entry) -> Iterator[str]:
    """The texts of an entry, beside those of its rows, in which words are looked for."""
    yield from (entry.id, entry.kind, entry.title, entry.format, entry.own_id, entry.author)
    yield from (entry.source, entry.rights, entry.tool_version)
    yield from chain.from_iterable((one.path, one.name) for one in entry.files)
    yield from (f"{name}={text}" for name, text in entry.labels.items())


def _files(entry: Entry, n: int) -> Iterator[Line]:
    for place, one in enumerate(entry.files):
        texts = kept(one.path), kept(one.name)
        yield n, place, *texts, min(one.num_bytes, _MOST), one.sha256, kept(one.media_type)


def _row(row: Row, n: int, place: int, words: Words) -> Line:
    numbers = words.of(_words_of(row))
    return (n, place, *numbers, kept(row.amount), amount_key(row.amount), kept(row.place))


def _supersedes(entry: Entry, n: int) -> Iterator[Line]:
    # What is no id is superseded by nothing; the bag still says what it says.
    ids = (id for id in dict.fromkeys(entry.supersedes) if is_id(id))
    return ((n, place, id) for place, id in enumerate(ids))


def _labels(entry: Entry, n: int) -> Iterator[Line]:
    for place, (name, text) in enumerate(entry.labels.items()):
        yield n, place, kept(name), kept(text), folded(name), folded(text)
