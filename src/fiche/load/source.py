"""The text of one file: decoded strictly, with lines counted by LF and columns in characters."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from itertools import islice
from typing import NamedTuple

from fiche.kernel.address import Span
from fiche.kernel.lazy import lazy
from fiche.kernel.printed import printed
from fiche.load.fault import Faults, refused

# Also what reorders text on screen: a reader must see what the program reads.
FORBIDDEN = lazy(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufeff\ufffe\uffff]"
)
# YAML ends a line there, and so a comment; editors and git do not: a key behind it is read unseen.
_BREAKS = lazy("\r(?!\n)|[\x85\u2028\u2029]")
_MAX_SHOWN = 20
_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00")


class Source(NamedTuple):
    """A decoded file. `file` is its name as the fiche names it."""

    file: str
    content: bytes
    text: str
    starts: tuple[int, ...]

    def span(self, index: int, text: str = "") -> Span:
        """The place of the character at `index`, whatever else YAML may call a line break."""
        line = bisect_right(self.starts, index)
        column = index - self.starts[line - 1] + 1
        return Span(file=self.file, line=line, column=column, text=text)

    @property
    def sha256(self) -> str:
        """The digest of the bytes as they were read."""
        return hashlib.sha256(self.content).hexdigest()


def source(file: str, content: bytes) -> Source:
    """Decode a file.

    Raises:
        Refused: it is not UTF-8 (F101), or holds control characters (F102).
    """
    text = _decoded(file, content)
    found = Source(file, content, text, _line_starts(text))
    _refuse_controls(found)
    return found


def _line_starts(text: str) -> tuple[int, ...]:
    return (0, *(match.end() for match in re.finditer("\n", text)))


def _decoded(file: str, content: bytes) -> str:
    body = content.removeprefix(_BOM)
    if body.startswith(_WIDE) or body[1:2] == b"\x00":
        place = Span(file=file, line=1, column=1)
        raise refused("F101", "the file is not UTF-8: it looks like UTF-16", place, _SAVE)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte 0x{body[error.start]:02x} is not UTF-8"
        raise refused("F101", message, _place(file, body, error.start), _SAVE) from None


_SAVE = "save the file as UTF-8"


def _place(file: str, body: bytes, offset: int) -> Span:
    before = body[:offset]
    line = before.rpartition(b"\n")[2].decode("utf-8")
    return Span(file=file, line=before.count(b"\n") + 1, column=len(line) + 1)


def _refuse_controls(found: Source) -> None:
    if printed(found.text, lines=True):
        return
    faults = Faults()
    for match in islice(FORBIDDEN.finditer(found.text), _MAX_SHOWN):
        message = f"control character {_name(match)}"
        hint = "remove it; a tab and line ends may stay"
        faults.add("F102", message, found.span(match.start()), hint)
    for match in islice(_BREAKS.finditer(found.text), _MAX_SHOWN):
        message = f"{_name(match)} ends a line for YAML, and for nobody else"
        hint = "end each line with a line feed, alone or behind a carriage return"
        faults.add("F102", message, found.span(match.start()), hint)
    faults.stop()


def _name(match: re.Match[str]) -> str:
    return f"U+{ord(match[0]):04X}"
