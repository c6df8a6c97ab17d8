"""Lines of a device tool's output as text: colours, carriage returns and JSON's escapes taken away.

Tables are read as blocks from a heading on, so a long log costs no more than what stands in its tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.importers._prefix import ANSI
from fiche.importers._scan import Lines
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy
from fiche.kernel.record import record

_COLOUR = lazy(ANSI + rb"|\\+u001[bB]\[[0-9;:]{0,24}m|\\+(?:x1[bB]|033)\[[0-9;:]{0,24}m")
_ESCAPED_EDGE = lazy(rb"\\{1,4}[rn]")
_LONGEST = 8_192
_LONGEST_LINE = 4 * 1024 * 1024
_SHOWN = 400
_HEAD = 65_536
_MAX_PARTS_OF_A_LINE = 100_000


@record
class Row:
    """One visible line, or one part of a line; `number` counts LF from 1."""

    text: str
    number: int

    def pointer(self, sha256: str) -> Pointer:
        """The place of the line, with its text as it is shown to people."""
        shown = " ".join(self.text[: 4 * _SHOWN].split())
        return Pointer(sha256=sha256, line=self.number, text=shown[:_SHOWN])


def rows(
    content: bytes, start: int = 0, stop: int | None = None, lines: Lines | None = None
) -> Iterator[Row]:
    """Every line from one offset on, up to another.

    Who reads many blocks of a text hands in the `Lines` that count for all of them.
    """
    lines, at = lines or Lines(content), start
    end = len(content) if stop is None else stop
    while at <= end:
        edge = content.find(b"\n", at, end)
        edge = end if edge < 0 else edge
        yield from _parts(content, at, edge, lines.number(at))
        at = edge + 1


def _parts(content: bytes, start: int, stop: int, number: int) -> Iterator[Row]:
    """The parts between carriage returns and between JSON's escaped line ends, where a quote opens them."""
    raw = content[start : min(stop, start + _LONGEST_LINE)]
    pieces = [raw]
    if b"\r" in raw:
        pieces = raw.split(b"\r", _MAX_PARTS_OF_A_LINE)
    if b"\\n" in raw and (b'"' in raw or b"'" in raw):
        pieces = [part for piece in pieces for part in _ESCAPED_EDGE.split(piece)]
    for piece in pieces[:_MAX_PARTS_OF_A_LINE]:
        yield Row(text=_visible(piece[:_LONGEST]), number=number)


def _visible(raw: bytes) -> str:
    text = _COLOUR.sub(b"", raw).decode("utf-8", errors="replace").replace("\xa0", " ")
    return text.replace("\x00", "").rstrip()


def places(content: bytes, word: bytes) -> Iterator[int]:
    """Where each line that holds a word begins, once a line.

    Of an endless line only what stands near the word is looked at.
    """
    at = content.find(word)
    while at >= 0:
        floor = max(0, at - _LONGEST)
        yield max(content.rfind(b"\n", floor, at) + 1, floor)
        stop = content.find(b"\n", at)
        at = content.find(word, stop) if stop >= 0 else -1


def mostly(content: bytes, own: re.Pattern[bytes]) -> bool:
    """True where most lines at the beginning are of the tool's own kind: the file is its output, no log."""
    told = [line for line in content[:_HEAD].split(b"\n") if line.strip()]
    return 2 * sum(own.search(line) is not None for line in told) >= len(told)
