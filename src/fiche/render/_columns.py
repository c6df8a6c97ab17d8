"""Paragraphs and tables in columns of characters, with marks of style that take no room."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

from fiche.kernel.lazy import lazy

_BESIDE = "  "
_THINNEST = 9
_SENTENCE = 100
_READABLE = 36
_SHORT = 12
# What joins a number to its unit and its mark: an identifier may be torn, an amount never.
_AMOUNT = "\N{NO-BREAK SPACE}"
_JOINTS = lazy(r"[-_/.:](?=\w)")
_STYLE = lazy("[\ue000-\ue0ff]")


def cells(text: str) -> int:
    """Columns that a text takes: wide characters two, combining marks and marks of style none."""
    if text.isascii():
        return len(text)
    return sum(map(_cells, _STYLE.sub("", text)))


@cache
def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def paragraph(text: str, width: int, lead: str = "") -> str:
    """A wrapped paragraph; `lead` stands before its first line and its room before the others."""
    lines = _wrapped(text, width - len(lead))
    rest = " " * len(lead)
    return "\n".join(f"{rest if place else lead}{line}" for place, line in enumerate(lines))


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str] | str],
    right: Sequence[int],
    width: int,
) -> str:
    """Aligned columns that wrap to fit; a row that is one text heads the rows below it."""
    told = [row for row in rows if not isinstance(row, str)]
    widths = _widths([header, *told], width)
    lines = [*_row(header, widths, right), _BESIDE.join("-" * each for each in widths)]
    for row in rows:
        if isinstance(row, str):
            lines += ["", *_wrapped(row, width)]
        else:
            lines += _row(row, widths, right)
    return "\n".join(line.rstrip() for line in lines)


def squeezed(rows: Sequence[Sequence[str]], width: int) -> bool:
    """True where nobody would read it: sentences in a thin column, or a short table of torn words."""
    widths = _widths(rows, width)
    if len(rows) <= _SHORT and any(w < d for w, d in zip(widths, _longest(rows), strict=True)):
        return True
    needs = [
        max(cells(line) for row in rows for line in row[c].split("\n")) for c in range(len(widths))
    ]
    return any(
        need > _SENTENCE and got < _READABLE for need, got in zip(needs, widths, strict=True)
    )


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """What each column needs; where the lines are too long the widest column gives way first."""
    lines = [[cell.split("\n") for cell in row] for row in rows]
    count = range(len(rows[0]))
    widths = [max(max(map(cells, row[c])) for row in lines) for c in count]
    words = _longest(rows)
    amounts = _longest(rows, _AMOUNT)
    thinnest = [_THINNEST] * len(widths)
    over = sum(widths) + len(_BESIDE) * (len(widths) - 1) - width
    for least in (words, list(map(max, amounts, thinnest)), thinnest):
        while over > 0 and any(wide > low for wide, low in zip(widths, least, strict=True)):
            room = [wide if wide > low else 0 for wide, low in zip(widths, least, strict=True)]
            widths[room.index(max(room))] -= 1
            over -= 1
    return widths


def _longest(rows: Sequence[Sequence[str]], of: str = "") -> list[int]:
    """The widest word of each column; with `of` only those that hold this sign."""
    return [
        max((cells(w) for row in rows for w in re.split("[ \n]", row[c]) if of in w), default=0)
        for c in range(len(rows[0]))
    ]


def _row(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> Iterator[str]:
    wrapped = [_wrapped(cell, widths[place]) for place, cell in enumerate(row)]
    for level in range(max(map(len, wrapped))):
        shown = (lines[level] if level < len(lines) else "" for lines in wrapped)
        yield _BESIDE.join(
            _padded(text, widths[place], place in right) for place, text in enumerate(shown)
        )


def _padded(text: str, width: int, to_the_right: bool) -> str:
    room = " " * max(width - cells(text), 0)
    return room + text if to_the_right else text + room


def _wrapped(text: str, width: int) -> list[str]:
    return [line for told in text.split("\n") for line in _lines(told, width)] or [""]


def _lines(text: str, width: int) -> Iterator[str]:
    """Greedy lines; a word that is wider than the column is cut, or the table would burst."""
    line, used = "", 0
    for word in text.split(" "):
        for piece in _pieces(word, width):
            needed = cells(piece)
            if line and used + 1 + needed > width:
                yield line
                line, used = piece, needed
            elif line:
                line, used = f"{line} {piece}", used + 1 + needed
            else:
                line, used = piece, needed
    yield line


def _pieces(word: str, width: int) -> Iterator[str]:
    if cells(word) <= width or _STYLE.search(word):
        yield word
        return
    while cells(word) > width:
        cut = max(width, 1)
        while cells(word[:cut]) > width and cut > 1:
            cut -= 1
        cut = max(
            (j.end() for j in _JOINTS.finditer(word, 0, cut + 1) if j.end() <= cut), default=cut
        )
        yield word[:cut]
        word = word[cut:]
    if word:
        yield word
