"""Bytes of text as UTF-8, whatever encoding a shell or an editor wrote: UTF-16, UTF-32, a byte order mark.

Bytes that are no valid text stay where they are: a log with a damaged line is still a log.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import NamedTuple

from fiche.kernel.lazy import lazy

LOOKED_AT = 4096
_UTF8_MARK = b"\xef\xbb\xbf"
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
# Without a mark: the places in each group of bytes that are zero for most letters, and the one that is not.
_UNMARKED = (
    ("utf-32-le", 4, (2, 3), 0),
    ("utf-32-be", 4, (0, 1), 3),
    ("utf-16-le", 2, (1,), 0),
    ("utf-16-be", 2, (0,), 1),
)
_PICKLE = lazy(rb"\x80[\x02-\x05]")
_MOSTLY = 0.9
_FEW = 0.05
_SHORTEST = 16


class Encoding(NamedTuple):
    """How a text is written: `name` for Python's codecs, and how many bytes its mark takes."""

    name: str
    mark: int


def encoding_of(head: bytes) -> Encoding | None:
    """The encoding that the first bytes show; None where they are UTF-8, or no text at all."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return Encoding(name, len(mark))
    if head.startswith(_UTF8_MARK):
        return Encoding("utf-8", len(_UTF8_MARK))
    return _unmarked(head[:LOOKED_AT])


def _unmarked(head: bytes) -> Encoding | None:
    """By the zero bytes: they stand at one place of each character, and nowhere else."""
    if len(head) < _SHORTEST or b"\x00" not in head or _PICKLE.match(head):
        return None
    for name, width, zero, low in _UNMARKED:
        groups = len(head) // width
        share = [head[place : groups * width : width].count(0) / groups for place in range(width)]
        if all(share[place] >= _MOSTLY for place in zero) and share[low] <= _FEW:
            return Encoding(name, 0) if _readable(head[: groups * width], name) else None
    return None


def _readable(head: bytes, name: str) -> bool:
    """Numbers of two or four bytes have zeros at the same places: only text has words."""
    text = head.decode(name, errors="replace")
    good = sum(sign.isprintable() or sign in "\t\r\n\x1b" for sign in text)
    return good >= len(text) * _MOSTLY and any(sign.isalpha() for sign in text)


def transcoded(parts: Iterator[bytes], encoding: Encoding) -> Iterator[bytes]:
    """The same text in UTF-8, without its mark; what the encoding does not know becomes U+FFFD."""
    left = encoding.mark
    if encoding.name == "utf-8":
        for part in parts:
            dropped = min(left, len(part))
            left -= dropped
            yield part[dropped:] if dropped else part
        return
    decoder = codecs.getincrementaldecoder(encoding.name)(errors="replace")
    for part in parts:
        dropped = min(left, len(part))
        left -= dropped
        yield decoder.decode(part[dropped:]).encode("utf-8", errors="replace")
    yield decoder.decode(b"", final=True).encode("utf-8", errors="replace")
