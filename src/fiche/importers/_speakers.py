"""Who printed a message: its own line says so, else the traceback that ends on it."""

from __future__ import annotations

import re

from fiche.importers._prefix import NOBODY, Speaker, speaker

# A line may end as JSON writes it: what follows may have its prefix again, and a figure go on there.
EDGE = re.compile(rb"[\r\n\\](?:(?<=[\r\n])|\\{0,3}[nr])")
ESCAPED_EDGE = re.compile(rb"\\{1,4}[nr]")
_LINE_END = re.compile(rb"\n")
_MAX_FRONT = 4_000


def line_start(content: bytes, offset: int) -> int:
    """The start of the line, or a place not too far back on an endless one."""
    floor = max(0, offset - _MAX_FRONT)
    return max(floor, content.rfind(b"\n", floor, offset) + 1)


def own_line(front: bytes) -> bytes:
    r"""What stands before a message on its own line, where JSON keeps a whole log with `\n` in a string."""
    if b"\\" not in front or not _quoted(front):
        return front
    ends = [edge.end() for edge in ESCAPED_EDGE.finditer(front)]
    return front[ends[-1] :] if ends else front


_TRACEBACK = b"Traceback (most recent call last)"
_TRACEBACK_REACH = 16 * 1024
_RAISED = re.compile(rb"\S[^\n]{0,160}?\b[A-Za-z_.]{0,80}(?:Error|Exception)(?::|\s{0,4}$)")


def speaker_of(content: bytes, front: bytes, first: int) -> Speaker:
    """Who speaks on this line; else who began the traceback that ends on it, if nobody interrupted."""
    here = speaker(front)
    if here != NOBODY:
        return here
    floor = max(0, first - _TRACEBACK_REACH)
    began = content.rfind(_TRACEBACK, floor, first)
    if began < 0:
        return NOBODY
    before = content[line_start(content, began) : began]
    lines = (EDGE if _quoted(before) else _LINE_END).split(content[began:first])[1:]
    if any(speaker(line[:300]) != NOBODY for line in lines):
        return NOBODY
    if any(_RAISED.match(line[:300]) for line in lines[:-1]):
        return NOBODY  # that traceback has ended: what follows is anybody's
    return speaker(own_line(before))


def _quoted(front: bytes) -> bool:
    """True where a string begins on the line: its line ends are escaped, and no part of a path."""
    return b'"' in front or b"'" in front
