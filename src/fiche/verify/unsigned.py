"""The bytes of a PDF before anybody signed it: a signature lies behind them, in an update of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

# What a signature covers: from the first byte to its own hole, and from behind that on.
_RANGE = re.compile(rb"/ByteRange\s*\[\s*(\d{1,12})\s+(\d{1,12})\s+(\d{1,12})\s+(\d{1,12})\s*\]")
_END = b"%%EOF"


def unsigned(content: bytes) -> bytes:
    """The file as it was before its first signature; the file itself where nobody signed it.

    That the signature holds, and that its update changes nothing of the page, is for `signature` to say.
    """
    first = next(_signatures(content), None)
    if first is None:
        return content
    end = content.rfind(_END, 0, first)
    if end < 0:
        return content
    end += len(_END)
    for line_end in (b"\r\n", b"\n", b"\r"):
        if content.startswith(line_end, end):
            return content[: end + len(line_end)]
    return content[:end]


def _signatures(content: bytes) -> Iterator[int]:
    """Where each signature stands. An attached file that is itself signed counts from its own first byte."""
    for found in _RANGE.finditer(content):
        start, hole, rest, length = (int(number) for number in found.groups())
        opened, closed = content[hole : hole + 1], content[rest - 1 : rest]
        fits = start == 0 and hole < rest and rest + length <= len(content)
        if fits and (opened, closed) == (b"<", b">"):
            yield found.start()
