"""An excerpt of a log too long to hold: bytes to an importer, with the lines and places of the original.

Whole lines around what was sought, a barrier where others were left out. An importer that takes bytes
needs not know; whoever counts lines or distances asks here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

# Longer than any grammar looks back for the first words of a message: nothing is joined across it.
_WIDTH = 512
BARRIER = b"~" * (_WIDTH - 1) + b"\n"
# In a file of one JSON value a line, a line that is none would be a fault.
BLANK_BARRIER = b" " * (_WIDTH - 1) + b"\n"


class Stretch(NamedTuple):
    """Bytes that follow each other in the original too.

    `at` is where they begin in the excerpt, `origin` in the original (bytes from 0); `line` is their first
    line's number in the original, from 1.
    """

    at: int
    origin: int
    line: int


class Excerpt(bytes):
    """The kept stretches of a text, joined by barriers.

    `stretches` are in order, the first `at` 0; `whole` is how many bytes the original has, `kept` how many
    of them are here.
    """

    stretches: tuple[Stretch, ...]
    whole: int
    kept: int

    @classmethod
    def of(
        cls,
        pieces: Sequence[tuple[int, int, bytes]],
        whole: int,
        barrier: bytes = BARRIER,
    ) -> Excerpt:
        """Make one from (origin, line, bytes), in order, at least one of them."""
        stretches: list[Stretch] = []
        joined: list[bytes] = []
        at = 0
        for origin, line, content in pieces:
            if joined:
                joined.append(barrier)
                at += len(barrier)
            stretches.append(Stretch(at, origin, line))
            joined.append(content)
            at += len(content)
        made = cls(b"".join(joined))
        made.stretches = tuple(stretches)
        made.whole = whole
        made.kept = sum(len(content) for _, _, content in pieces)
        return made

    def stretch(self, offset: int) -> Stretch:
        """The stretch that an offset lies in (a barrier belongs to the stretch before it)."""
        return self.stretches[bisect_right(self.stretches, offset, key=_begin) - 1]

    def origin(self, offset: int) -> int:
        """Where a byte of the excerpt stands in the original."""
        here = self.stretch(offset)
        return here.origin + offset - here.at

    def cut_between(self, first: int, second: int) -> bool:
        """True when something was left out between two offsets."""
        return self.stretch(first) is not self.stretch(second)


def _begin(stretch: Stretch) -> int:
    return stretch.at


def distance(content: bytes, first: int, second: int) -> int:
    """Bytes from one offset to a later one, what was left out between them included."""
    if isinstance(content, Excerpt):
        return content.origin(second) - content.origin(first)
    return second - first
