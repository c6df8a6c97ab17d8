"""Finding the places of a large log where a message may start, and the lines that belong to it.

Rare words are searched at the speed of memory; only what surrounds them is looked at more closely.
Time is linear in the file, memory constant beside it.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence

from fiche.importers._excerpt import Excerpt
from fiche.importers._prefix import NOBODY, Speaker, body, right_edge, speaker
from fiche.importers._refusal import refused
from fiche.importers._speakers import EDGE, ESCAPED_EDGE, line_start, own_line, speaker_of
from fiche.importers._squeezed import Squeezed
from fiche.kernel.lazy import lazy
from fiche.kernel.record import record, replace

# More than this is no log of failures but an attack, or a file to cut before citing it.
MAX_MESSAGES = 10_000
MAX_PLACES = 50_000
MAX_ON_A_LINE = 2_000
NEAR = 32
_REACH_BACK = 240
_REACH_ON = 120
_FIRST_LINE = 1_000
_REACH = 12_000
_ENOUGH = 3_500
_MAX_LINES = 400
_KEPT_FRONT = 800
_CLASS = lazy(rb"[\w.]{0,80}(?:Error|Exception|Warning)?[:('\" ]{0,6}$")
_CLASS_LENGTH = 96  # the longest match: searching a longer text for it takes its square
_ASKED, _ASKED_SQUEEZED = b"Tried to allocate", b"Triedtoallocate"
_PROGRESS = lazy(rb"\d%\||\dit/s|s/it")


@record(kw_only=False)
class Word:
    """A word that every message of a family holds, and words of which one stands before it.

    `before` within a few characters (colours included), `also` somewhat further. `adjacent` is True where
    nothing but blanks, colours, line ends and a line's prefix comes between `before` and the word.
    """

    word: bytes
    before: tuple[bytes, ...] = ()
    also: tuple[bytes, ...] = ()
    reach: int = 80
    adjacent: bool = False

    def places(self, content: bytes) -> Iterator[tuple[int, int]]:
        """(start, end) of each occurrence that may be part of a message."""
        word = self.word
        at = content.find(word)
        while at >= 0:
            end = at + len(word)
            if self.fits(content, at):
                yield at, end
            at = content.find(word, end)

    def fits(self, content: bytes, at: int) -> bool:
        """True when an occurrence of the word at `at` has the words before it that a message has."""
        reach = self.reach
        front = content[at - reach if at > reach else 0 : at]
        return _has_any(front[-NEAR:], self.before) and _has_any(front, self.also)


def _has_any(text: bytes, words: tuple[bytes, ...]) -> bool:
    for word in words:  # a loop, for this runs on every "memory" of a log
        if word in text:
            return True
    return not words


@record
class Message:
    """A place where a pattern matched: the visible text from there on, and what stood in front.

    `match` is against `text.text`; `start` is the offset of its first byte in `content`, `line` its
    line; `front` is the text before it on that line; `speaker` who printed it.
    """

    content: bytes
    text: Squeezed
    match: re.Match[bytes]
    start: int
    line: int
    front: bytes
    speaker: Speaker

    def whole(self) -> Message:
        """The same message with the following lines of its speaker, up to where another starts."""
        text = Squeezed(self.content)
        reach = self.start + _REACH
        own = self.match.end()
        fence = -1
        if self.match[0].endswith(_ASKED_SQUEEZED):
            fence = self.content.find(_ASKED, self.text.after(own), self.start + _ENOUGH)
        _fill(text, self.start, reach, self._prefix(), self.speaker, own=own, fence=fence)
        match = self.match.re.match(text.text)
        if match is None:
            return self
        following = _following(text.text, self.match.re, match.end())
        if following is not None:
            text.cut(following)
        return replace(self, text=text, match=match)

    def _prefix(self) -> bytes:
        """What the lines that follow may have in front of them too."""
        reach = self.start + _REACH
        start = self.content.find(b"\n", self.start, reach) + 1
        if not start:
            escaped = ESCAPED_EDGE.search(self.content, self.start, reach)
            start = escaped.end() if escaped else 0
        if start and self.content.startswith(self.front, start):
            return self.front
        if start and body(self.content, start, start + _KEPT_FRONT, b"")[0] == start:
            alike = _alike(self.front, self.content[start : start + _KEPT_FRONT])
            if alike.strip():
                return alike
        return _prefix_of(self.front)

    def shown(self, position: int, limit: int = 2_000) -> str:
        """The message up to a position of the visible text, its blanks and damages evened out."""
        raw = self.content[self.start : min(self.text.after(position), self.start + _REACH)]
        return plain(raw)[:limit]


def _alike(front: bytes, line: bytes) -> bytes:
    """The words that two lines begin with alike: a prefix of a launcher that nobody knows."""
    length = min(len(front), len(line))
    same = next((at for at in range(length) if front[at] != line[at]), length)
    return front[: front.rfind(b" ", 0, same) + 1]


def _prefix_of(front: bytes) -> bytes:
    """What stands before a message on its line, without the name of the exception."""
    near = front[-_CLASS_LENGTH:]
    named = _CLASS.search(near)
    if named is None:
        return front
    # Where no name stands the colon is the prefix's own.
    return front[:-_CLASS_LENGTH] + near[: named.start() + near.startswith(b":", named.start())]


# Every message that can be wrapped holds one of these; the full pattern is slow on long texts.
_STARTERS = lazy(rb"(?<!\()outofmemory|wouldexceedallowed|canNOTallocate")
_AROUND = 120


def _following(text: bytes, start: re.Pattern[bytes], position: int) -> int | None:
    """Where the next message starts behind a position of visible text."""
    for starter in _STARTERS.finditer(text, position):
        floor = max(position, starter.start() - _AROUND)
        found = start.search(text, floor, starter.end() + _AROUND)
        if found is not None:
            return found.start()
    return None


_COLOUR = lazy(
    r"\x1b\[[0-9;:?]{0,24}[ -/]{0,2}[@-~]|(?:\\+u001[bB]|\\+x1[bB]|\\+033|#033|\^\[)\[[0-9;:]{0,24}m"
)
_NOT_SHOWN = lazy(r"\\+[nrt]|[\x00-\x1f\x7f-\x9f]")
_BLANKS = lazy(r"\s{1,4000}")


def plain(raw: bytes) -> str:
    """Bytes as one line of text without escape sequences or control characters."""
    text = raw.decode("utf-8", errors="replace")
    text = _COLOUR.sub("", text) if "[" in text else text
    if "\\" in text or not text.isprintable():
        text = _NOT_SHOWN.sub(" ", text)
    return _BLANKS.sub(" ", text).strip()


class Lines:
    """Line numbers of offsets, counted by LF, cheap for offsets that grow.

    In an excerpt they are the numbers of the whole text's lines.
    """

    def __init__(self, content: bytes) -> None:
        """Start at the first byte, on line 1."""
        self._content = content
        self._offset = 0
        self._line = 1

    def number(self, offset: int) -> int:
        """The line of an offset, from 1."""
        if isinstance(self._content, Excerpt):
            stretch = self._content.stretch(offset)
            if self._offset < stretch.at or self._content.stretch(self._offset) is not stretch:
                self._offset, self._line = stretch.at, stretch.line
        if offset >= self._offset:
            self._line += self._content.count(b"\n", self._offset, offset)
        else:
            self._line -= self._content.count(b"\n", offset, self._offset)
        self._offset = offset
        return self._line


def messages(
    content: bytes,
    words: Sequence[Word],
    start: re.Pattern[bytes],
    sha256: str,
    harmless: str = "",
) -> Iterator[Message]:
    """Every message that `start` finds in the visible text around one of the `words`.

    A message's text is its first line at first; `Message.whole` adds what follows. Those of the group
    `harmless` may be many: they tell of no failure.

    Raises:
        Refused: F427, there are more than `MAX_MESSAGES`, more than `MAX_ON_A_LINE` on one line, or more
            than `MAX_PLACES` to look at.
    """
    lines = Lines(content)
    done, looked_at, seen = -1, 0, 0
    line, on_it = 0, 0
    for place in heapq.merge(*(word.places(content) for word in words)):
        if place[1] <= done:
            continue
        looked_at += 1
        message = _message(content, place, start, lines, done)
        if message is not None:
            done = message.text.after(message.match.end())
            if harmless and message.match[harmless] is not None:
                looked_at -= 1
            else:
                seen += 1
            on_it = on_it + 1 if message.line == line else 1
            line = message.line
            yield message
        if looked_at > MAX_PLACES or seen > MAX_MESSAGES or on_it > MAX_ON_A_LINE:
            hint = "cite the part of the log that holds the failure"
            raise refused("F427", "too many messages of failure in one file", sha256, hint=hint)


def _message(
    content: bytes, place: tuple[int, int], start: re.Pattern[bytes], lines: Lines, done: int
) -> Message | None:
    around = Squeezed(content)
    floor = max(_before(content, place[0]), done, 0)
    _fill(around, floor, place[1] + _REACH_ON, b"", None, place=place[0])
    for match in start.finditer(around.text):
        first, last = around.source(match.start()), around.after(match.end())
        if first < place[1] and last > place[0]:
            return _spoken(content, first, last, start, lines)
    return None


def _spoken(
    content: bytes, first: int, last: int, start: re.Pattern[bytes], lines: Lines
) -> Message | None:
    """The message with the rest of the line on which its first words end."""
    edge = content.find(b"\n", last, last + _FIRST_LINE)
    text = Squeezed(content)
    _fill(text, first, edge if edge >= 0 else last + _FIRST_LINE, b"", None)
    match = start.match(text.text)
    if match is None:
        return None
    front = own_line(content[line_start(content, first) : first])
    return Message(
        content=content,
        text=text,
        match=match,
        start=first,
        line=lines.number(first),
        front=front[-_KEPT_FRONT:],
        speaker=speaker_of(content, front, first),
    )


def _fill(
    text: Squeezed,
    start: int,
    stop: int,
    first: bytes,
    who: Speaker | None,
    *,
    own: int = 0,
    place: int = -1,
    fence: int = -1,
) -> None:
    """Add the line from `start`, then the following lines of the same speaker.

    Up to where another message starts: `own` visible bytes are the first words of this one. The line of
    `place` is added in any case; the first line ends at the `fence`, where it holds another message.
    """
    content = text.content
    stop = min(stop, len(content))
    at = start
    for number in range(_MAX_LINES):
        edge = EDGE.search(content, at, stop)
        end = edge.start() if edge else stop
        if number == 0:
            last = min(end, at + _ENOUGH) if fence < 0 else min(end, fence)
            text.add(at, right_edge(content, at, last))
        elif at <= place < end or _continues(content, at, end, who):
            before = len(text.text)
            text.joint()
            text.add(*body(content, at, end, first))
            if who is not None and _STARTERS.search(text.text, max(before, own)):
                return
        if edge is None or len(text.text) > _ENOUGH:
            return
        at = edge.end()


def _continues(content: bytes, start: int, end: int, who: Speaker | None) -> bool:
    """False for lines of somebody else, and for progress bars that were printed in between."""
    if _PROGRESS.search(content, start, end):
        return False
    if who is None:
        return True
    other = speaker(content[start : min(end, start + 300)])
    if who.service and other.service not in (None, who.service):
        return False
    return other.own == NOBODY if who.own == NOBODY else who.may_be(other)


def _before(content: bytes, offset: int) -> int:
    """The start of the line before, for messages that were wrapped within their first words."""
    floor = max(0, offset - _REACH_BACK)
    here = content.rfind(b"\n", floor, offset)
    return max(floor, content.rfind(b"\n", floor, here) + 1) if here > 0 else floor
