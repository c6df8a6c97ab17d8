"""What an entry becomes in the tables of an index."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from fiche.archive.document import Document
from fiche.archive.index_amount import amount_key
from fiche.archive.index_columns import TEXTS, WORDS
from fiche.archive.index_texts import every_kept, folded, kept, together

# Other names of a word: those of a card, where a catalog has it.
Aliases = Callable[[str, str], Iterable[str]]
Line = tuple[object, ...]

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# The most that a database counts to; what claims more is a lie about a file.
_MOST = 2**63 - 1
_REMEMBERED = 50_000
# What a document calls them.
_KEYS = tuple("content_format" if name == "format" else name for name in TEXTS)
_ABOUT = (
    *("id", "kind", "title", "content_format", "own_id", "author"),
    *("identifier", "source", "rights", "tool_version"),
)


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


def lines_of(told: Document, n: int, words: Words) -> Mapping[str, Sequence[Line]]:
    """The lines of an entry, by table; those of new words stay with `words`."""
    return {
        "entries": (_entry(told, n),),
        "files": tuple(_files(told, n)),
        "rows": [_row(row, n, place, words) for place, row in enumerate(told.get("rows", ()))],
        "supersedes": tuple(_supersedes(told, n)),
        "names": tuple(_names(told, n)),
        "labels": tuple(_labels(told, n)),
    }


def _entry(told: Document, n: int) -> Line:
    texts = every_kept([told.get(key, "") for key in _KEYS])
    files = told["files"]
    num_bytes = min(sum(one["num_bytes"] for one in files), _MOST)
    counts = len(told.get("rows", ())), len(files), num_bytes
    day = day_of(told.get("date", "")) or day_of(told["added"])
    return (n, *texts, day, together(about(told)), folded(told.get("rights", "")), *counts)


def about(told: Document) -> Iterator[str]:
    """The texts of an entry, beside those of its rows, in which words are looked for."""
    yield from (told.get(key, "") for key in _ABOUT)
    for one in told["files"]:
        yield from (one["path"], one.get("name", ""))
    for name, text in told.get("labels", {}).items():
        yield f"{name}={text}"


def _files(told: Document, n: int) -> Iterator[Line]:
    for place, one in enumerate(told["files"]):
        texts = kept(one["path"]), kept(one.get("name", ""))
        num_bytes = min(one["num_bytes"], _MOST)
        yield n, place, *texts, num_bytes, one["sha256"], kept(one.get("media_type", ""))


def _row(row: Document, n: int, place: int, words: Words) -> Line:
    get = row.get
    amount = get("amount", "")
    numbers = words.of(tuple([get(name, "") for name in WORDS]))
    return (n, place, *numbers, kept(amount), amount_key(amount), kept(get("place", "")))


# The kinds of what is superseded by more than its entry's id; and where a report keeps its decision.
NAMED_KINDS = ("fiche", "decision")
_DECISIONS = ("decision.json", "attachments/decision.json")
_DOI = "https://doi.org/"


def as_named(text: str) -> str:
    """A name of an entry in the one way in which names are compared; the bag has it as it was told."""
    text = text.strip()
    small = text.lower()
    for start in ("urn:uuid:", "sha256:"):
        if small.startswith(start):
            return small.removeprefix(start)
    if small.startswith(_DOI):
        return kept(f"doi:{small.removeprefix(_DOI)}")
    is_small = small.startswith("doi:") or _HEXADECIMAL.fullmatch(small)
    return small if is_small else kept(text)


_HEXADECIMAL = re.compile(r"[0-9a-f-]{36}|[0-9a-f]{64}")


def _supersedes(told: Document, n: int) -> Iterator[Line]:
    """What was said at the adding, then what the content says."""
    said = (*told.get("supersedes", ()), *told.get("stated_supersedes", ()))
    names = dict.fromkeys(as_named(text) for text in said)
    return ((n, place, name) for place, name in enumerate(names))


def _names(told: Document, n: int) -> Iterator[Line]:
    """What it is called beside its id: no piece is, which several fiches have in common."""
    names = [told.get("identifier", "")]
    if told["kind"] in NAMED_KINDS:
        of = (told["main"], *_DECISIONS)
        names += [told.get("own_id", ""), *(f["sha256"] for f in told["files"] if f["path"] in of)]
    return (
        (n, place, name) for place, name in enumerate(dict.fromkeys(map(as_named, names))) if name
    )


def _labels(told: Document, n: int) -> Iterator[Line]:
    for place, (name, text) in enumerate(told.get("labels", {}).items()):
        yield n, place, kept(name), kept(text), folded(name), folded(text)
