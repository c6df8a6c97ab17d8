"""A long text goes through, part by part; what surrounds the places that are sought stays.

Memory is that of one part and of what is kept; time is linear in the text.
"""

from __future__ import annotations

from fiche.importers._excerpt import BARRIER, Excerpt
from fiche.importers._refusal import refused
from fiche.importers._sought import FAILURE, Around, Sought

# The head tells what wrote the file; some importers look a mebibyte far for that.
HEAD = 1024 * 1024
MOST_KEPT = 64 * 1024 * 1024
_LONGEST_LINE = 256 * 1024
_TAIL = FAILURE.before + _LONGEST_LINE + 4096


class _Piece:
    """A stretch that is being kept."""

    def __init__(self, origin: int, line: int) -> None:
        self.origin, self.line, self.content = origin, line, bytearray()


class Sieve:
    """Feed it the text in order, then ask for the excerpt. All places are bytes from the text's start."""

    def __init__(
        self, sought: Sought, *, head: int = HEAD, most: int = MOST_KEPT, barrier: bytes = BARRIER
    ) -> None:
        """`head` bytes are kept in any case, at most `most` in all."""
        self._sought, self._most, self._barrier = sought, most, barrier
        self._buffer, self._base = b"", 0  # the last bytes of the text, and where they begin
        self._searched = 0
        self._counted, self._line = 0, 1  # a place before all that may still be kept, and its line
        self._pieces = [_Piece(0, 1)]
        self._kept, self._until = 0, head  # how far the last piece goes, and how far it is to go
        self._open = True
        self._total = 0

    def feed(self, part: bytes) -> None:
        """Take the next bytes of the text.

        Raises:
            Refused: F470, more would have to be kept than may be.
        """
        self._buffer += part
        start = max(0, self._searched - self._base - self._sought.longest + 1)
        done = self._searched - self._base
        for left, right, around in self._sought.places(self._buffer, start, done):
            self._keep(self._base + left, self._base + right, around)
        self._searched = self._base + len(self._buffer)
        if self._open:
            end = self._line_end()
            self._copy(self._searched if end is None else end)
            self._open = end is None
        gone = max(0, len(self._buffer) - _TAIL)
        self._count(self._base + gone)
        self._buffer, self._base = self._buffer[gone:], self._base + gone

    def excerpt(self) -> Excerpt:
        """What was kept of the text that has been fed."""
        pieces = [(each.origin, each.line, bytes(each.content)) for each in self._pieces]
        return Excerpt.of(pieces, self._searched, self._barrier)

    def _keep(self, start: int, stop: int, around: Around) -> None:
        low, high = start - around.before, stop + around.behind
        if self._open:
            if low > self._until:
                end = self._line_end()
                if end is not None and self._line_start(low) > end:
                    self._copy(end)
                    self._begin(self._line_start(low), high)
                    return
            self._until = max(self._until, high)
            return
        low = max(self._line_start(low), self._kept)
        if low == self._kept:  # nothing is left out between the last stretch and this one
            self._until, self._open = high, True
        else:
            self._begin(low, high)

    def _begin(self, low: int, high: int) -> None:
        self._count(low)
        self._pieces.append(_Piece(low, self._line))
        self._kept, self._until, self._open = low, high, True

    def _copy(self, end: int) -> None:
        """Add what lies between the last piece's end and `end`."""
        if end <= self._kept:
            return
        self._pieces[-1].content += self._buffer[self._kept - self._base : end - self._base]
        self._total += end - self._kept
        self._kept = end
        if self._total > self._most:
            message = (
                f"more than {self._most} bytes of this log are lines that fiche reads, or near them"
            )
            hint = "cut the part around the failure, or around the run in question, and cite that"
            raise refused("F470", message, "", hint=hint)

    def _count(self, place: int) -> None:
        """Go on counting lines as far as `place`; a place before the last one changes nothing."""
        if place > self._counted:
            start = self._counted - self._base
            self._line += self._buffer.count(b"\n", start, place - self._base)
            self._counted = place

    def _line_start(self, place: int) -> int:
        """The start of the line of a place, or a place not too far back on an endless one."""
        stop = max(0, place - self._base)
        floor = max(0, stop - _LONGEST_LINE)
        edge = self._buffer.rfind(b"\n", floor, stop)
        return self._base + (edge + 1 if edge >= 0 else floor)

    def _line_end(self) -> int | None:
        """Where the last piece may end: behind a line's end; None while that has not been fed yet."""
        start = self._until - 1 - self._base
        if start >= len(self._buffer):
            return None
        edge = self._buffer.find(b"\n", max(0, start), start + _LONGEST_LINE)
        if edge >= 0:
            return self._base + edge + 1
        bound = self._until + _LONGEST_LINE
        return bound if bound <= self._base + len(self._buffer) else None
