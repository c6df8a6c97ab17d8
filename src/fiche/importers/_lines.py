"""Lines of a log that hold given words, as their program wrote them (evidence_formats 1.4).

Colours, prefixes of launchers and viewers, progress bars in front and JSON's escapes are taken away; the
number of the line (counted by LF) and who speaks stay. A message that a terminal wrapped is joined only
where its grammar does not fit the line alone.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from fiche.importers._prefix import ANSI, Speaker, body, speaker
from fiche.importers._scan import Lines, plain
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy

NUMBER = r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?"
GROUPED = r"[0-9]{1,3}(?:,[0-9]{3}){1,5}|[0-9]{1,18}"

_AROUND = 4_096
_SHOWN = 400
_SHORTEST_WRAPPED = 40
_MAX_JOINED = 6
# As terminals, JSON, shells, log daemons and viewers write colours; and what is left without the escape sign.
_COLOUR = lazy(
    ANSI
    + rb"|(?:\\+u001[bB]|\\+x1[bB]|\\+033|#033|\^\[|\xe2\x90\x9b|\xe2\x86\x90)\[[0-9;:]{0,24}m"
    + rb"|\[[0-9][0-9;:]{0,23}m"
)
_EDGE = lazy(rb"[\r\n]")
_ESCAPED_EDGE = lazy(rb"[\r\n]|\\{1,4}[nr]")
_QUOTE = lazy(rb"[\"']")


def spaced(source: str, flags: int = 0) -> re.Pattern[str]:
    r"""A pattern in which a blank stands for any blanks or none: terminals wrap and pad at will.

    Write `\x20` for a blank that must be there.
    """
    return lazy(source.replace(" ", r"\s{0,60}"), flags)


class Line:
    """One line, or the part of one between carriage returns or escaped line ends.

    `number` counts from 1 by LF; `text` is without colours and prefixes; `speaker` is who printed it.
    """

    def __init__(self, content: bytes, start: int, stop: int, anchor: int, number: int) -> None:
        """`content[start:stop]` is the part; an anchor begins at `anchor` inside it."""
        self.content, self.start, self.stop, self.number = content, start, stop, number
        self._anchor = anchor

    @cached_property
    def text(self) -> str:
        """The line without colours and without what stands in front of its message."""
        at, end = body(self.content, self.start, self.stop, b"")
        return _visible(self.content[at if at <= self._anchor else self.start : end])

    @cached_property
    def raw(self) -> str:
        """The line without colours, prefixes left in place (tables begin with bars)."""
        return _visible(self.content[self.start : self.stop])

    @cached_property
    def speaker(self) -> Speaker:
        """Who printed the line, by what stands in front of the message."""
        line = self.content.rfind(b"\n", max(0, self.start - _AROUND), self.start) + 1
        return speaker(self.content[max(line, self.start - _AROUND) : self._anchor])

    @property
    def joined(self) -> str:
        """The text with the following lines of the same speaker behind it, as a terminal wrapped them."""
        return self._joined[0]

    def reach(self, position: int) -> int:
        """The offset in `content` behind the part that a position of `joined` lies in."""
        ends = self._joined[1]
        return next((stop for length, stop in ends if position <= length), ends[-1][1])

    @cached_property
    def _joined(self) -> tuple[str, list[tuple[int, int]]]:
        """The joined text, and (length so far, end in `content`) of each of its parts."""
        parts, at = [self.text], self.stop
        ends = [(len(self.text), self.stop)]
        front = self.content[self.start : body(self.content, self.start, self.stop, b"")[0]]
        for _ in range(_MAX_JOINED):
            if self.content[at : at + 2] == b"\r\n":
                at += 1
            if at >= len(self.content) or self.content[at : at + 1] != b"\n":
                break
            end = _end(self.content, at + 1, escaped=False)
            if end == at + 1:
                break
            first, last = body(self.content, at + 1, end, front)
            if not self.speaker.may_be(speaker(self.content[at + 1 : min(first, at + 600)])):
                break
            parts.append(_visible(self.content[first:last]))
            at = end
            ends.append((ends[-1][0] + len(parts[-1]), at))
        return "".join(parts), ends

    def before(self) -> Line | None:
        """The line before this one, where a wrapped message may begin; None at the start and for parts."""
        end = self.start - 1
        if end <= 0 or self.content[end : end + 1] != b"\n":
            return None
        floor = max(0, end - _AROUND)
        start = self.content.rfind(b"\n", floor, end) + 1 or floor
        stop = end - 1 if self.content[end - 1 : end] == b"\r" else end
        start = max(start, self.content.rfind(b"\r", start, stop) + 1)
        return Line(self.content, start, stop, stop, self.number - 1)

    def search(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Where a grammar fits the line; only if it does not, the line with its continuation.

        What begins on a following line is that line's own.
        """
        found = pattern.search(self.text)
        if found is None and self.stop - self.start >= _SHORTEST_WRAPPED:
            found = pattern.search(self.joined)
            if found is not None and found.start() >= max(1, len(self.text)):
                return None
        return found

    def pointer(self, sha256: str) -> Pointer:
        """The place of the line, with its text as it is shown to people."""
        text = plain(self.content[self.start : min(self.stop, self.start + 4 * _SHOWN)])
        return Pointer(sha256=sha256, line=self.number, text=text[:_SHOWN])


def _visible(raw: bytes) -> str:
    return _COLOUR.sub(b"", raw).decode("utf-8", errors="replace").replace("\xa0", " ").rstrip()


def lines(content: bytes, anchors: Sequence[bytes]) -> Iterator[Line]:
    """Every line that holds one of the anchors, once, in order; time is linear in the text."""
    numbers = Lines(content)
    done = -1
    for place in heapq.merge(*(_places(content, anchor) for anchor in anchors)):
        if place < done:
            continue
        start, stop = _part(content, place)
        done = stop
        yield Line(content, start, stop, place, numbers.number(place))


def _places(content: bytes, anchor: bytes) -> Iterator[int]:
    at = content.find(anchor)
    while at >= 0:
        yield at
        at = content.find(anchor, at + len(anchor))


def holds(content: bytes, anchors: Sequence[bytes]) -> bool:
    """True where one of the anchors stands in the text: the cheap question before all others."""
    return any(anchor in content for anchor in anchors)


def _part(content: bytes, place: int) -> tuple[int, int]:
    """The part of a line around a place, between its ends, written out or escaped."""
    floor = max(0, place - _AROUND)
    escaped = _in_a_string(content, floor, place)
    edge = max(content.rfind(b"\n", floor, place), content.rfind(b"\r", floor, place))
    start = max(floor, edge + 1)
    for found in _ESCAPED_EDGE.finditer(content, start, place) if escaped else ():
        start = found.end()
    return start, _end(content, place, escaped=escaped)


def _in_a_string(content: bytes, floor: int, place: int) -> bool:
    r"""True where a quote stands before the place on its line: `\n` is then a line's end, no path."""
    line = max(floor, content.rfind(b"\n", floor, place) + 1)
    return _QUOTE.search(content, line, place) is not None or (
        line == floor and floor > 0 and b"\\n" in content[floor:place]
    )


def _end(content: bytes, place: int, *, escaped: bool) -> int:
    stop = min(len(content), place + _AROUND)
    edge = (_ESCAPED_EDGE if escaped else _EDGE).search(content, place, stop)
    return edge.start() if edge is not None else stop
