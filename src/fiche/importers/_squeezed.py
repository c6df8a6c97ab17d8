"""Text without blanks, colours, prefixes and line breaks, each byte of it still traceable.

Messages are wrapped at any column, so a blank and a line break prove nothing: the grammar of a
message is matched on its visible characters alone. A figure that a line break runs through is
marked, so that two unrelated lines never make a number.
"""

from __future__ import annotations

from bisect import bisect_right

from fiche.importers._marks import marked
from fiche.importers._prefix import GAP, GAP_MARKS, SIMPLE
from fiche.kernel.lazy import lazy

# The first one stands alone: a pattern that starts with a set is searched for quickest.
_GAPS = lazy(GAP + GAP + rb"{0,399}")
_SIMPLE_GAPS = lazy(rb"[" + SIMPLE + rb"]{1,400}")


class Squeezed:
    """Visible bytes of a stretch of `content`; `breaks` are the places where lines were joined."""

    __slots__ = ("_sources", "_starts", "breaks", "content", "text")

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.text = b""
        self.breaks: list[int] = []
        self._starts: list[int] = []
        self._sources: list[int] = []

    def add(self, start: int, stop: int) -> None:
        """Append the visible bytes of content[start:stop]."""
        content, starts, sources = self.content, self._starts, self._sources
        parts, length, at = [self.text], len(self.text), start
        gaps = _GAPS if marked(content, GAP_MARKS, start, stop) else _SIMPLE_GAPS
        for gap in gaps.finditer(content, start, stop):
            left, right = gap.span()
            if left > at:
                starts.append(length)
                sources.append(at)
                parts.append(content[at:left])
                length += left - at
            at = right
        if stop > at:
            starts.append(length)
            sources.append(at)
            parts.append(content[at:stop])
        self.text = b"".join(parts)

    def joint(self) -> None:
        """Mark that the next bytes come from another line."""
        if self.text:
            self.breaks.append(len(self.text))

    def cut(self, position: int) -> None:
        """Forget everything from a position on."""
        self.text = self.text[:position]

    def source(self, position: int) -> int:
        """The offset in `content` of a visible byte (of the end, for the position behind the last)."""
        if not self._starts:
            return 0
        index = bisect_right(self._starts, max(0, position)) - 1
        return self._sources[index] + position - self._starts[index]

    def after(self, position: int) -> int:
        """The offset in `content` just behind the visible byte before `position`."""
        return self.source(position - 1) + 1 if position else self.source(0)

    def line_end(self, position: int) -> int:
        """Where the line of a visible byte ends: the next break, or the end of the text."""
        index = bisect_right(self.breaks, position)
        return self.breaks[index] if index < len(self.breaks) else len(self.text)

    def torn(self, start: int, stop: int) -> bool:
        """True when something was left out inside text[start:stop] that is no line break: two words."""
        index = bisect_right(self._starts, start)
        inside = self._starts[index : index + 8]
        return any(place < stop and not self._joined(place) for place in inside)

    def _joined(self, place: int) -> bool:
        index = bisect_right(self.breaks, place) - 1
        return index >= 0 and self.breaks[index] == place

    def broken(self, start: int, stop: int) -> bool:
        """True when a line break runs through text[start:stop]."""
        index = bisect_right(self.breaks, start)
        return index < len(self.breaks) and self.breaks[index] < stop
