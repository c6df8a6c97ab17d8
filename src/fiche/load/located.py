"""Where quoted words stand in a document: blanks, ligatures, soft hyphens and line breaks evened out, no more.

A document's layout puts line breaks and hyphens where its author wrote none; letters and digits stay as they
are, and words that cut a number in two are not found: `9.99 USD` does not stand in `129.99 USD`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Passage

_LIGATURES = {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
_TABLE = str.maketrans(_LIGATURES)
_SOFT = lazy("\u00ad[ \t]*\r?\n?")
# A hyphen at the end of a line was perhaps put there by the layout, perhaps by the author.
_BROKEN = lazy(r"(?<=\w)[-\u2010][ \t]*\r?\n[ \t]*(?=\w)")
MOST = 10


def places(passages: Iterable[Passage], words: str) -> list[str]:
    """The first places whose text holds the words."""
    wanted = evened(words)
    return list(_places(passages, wanted)) if wanted else []


def _places(passages: Iterable[Passage], wanted: str) -> Iterator[str]:
    found = 0
    for passage in passages:
        if any(stands(wanted, text) for text in _readings(passage.text)):
            yield passage.place
            found += 1
            if found == MOST:
                return


def _readings(text: str) -> Iterator[str]:
    """The text as it may be read: a hyphen at a line's end kept, dropped, or kept with a blank."""
    yield evened(text)
    if _BROKEN.search(text):
        yield evened(_BROKEN.sub("", text))
        yield evened(_BROKEN.sub("-", text))


def evened(text: str) -> str:
    """Ligatures as letters, soft hyphens gone, every run of blanks and line breaks as one blank."""
    return " ".join(_SOFT.sub("", text.translate(_TABLE)).split())


def stands(wanted: str, text: str) -> bool:
    """True where the words stand in the text, and begin or end inside no number."""
    at = text.find(wanted)
    while at >= 0:
        if not (_cut(text, at) or _cut(text, at + len(wanted))):
            return True
        at = text.find(wanted, at + 1)
    return False


def _cut(text: str, at: int) -> bool:
    """True where a place lies inside a number: between digits, or beside a mark that is between them."""
    before, behind = text[max(0, at - 2) : at], text[at : at + 2]
    if before[-1:].isdigit() and behind[:1].isdigit():
        return True
    if before[-1:] in _MARKS and before[:-1].isdigit() and behind[:1].isdigit():
        return True
    return before[-1:].isdigit() and behind[:1] in _MARKS and behind[1:].isdigit()


_MARKS = frozenset(".,'’")
