"""Who printed a message: its own line says so, else the traceback that ends on it."""

from __future__ import annotations

from fiche.importers._prefix import NOBODY, Speaker, speaker
from fiche.kernel.lazy import lazy

# A line may end as JSON writes it: what follows may have its prefix again, and a figure go on there.
EDGE = lazy(rb"[\r\n\\](?:(?<=[\r\n])|\\{0,3}[nr])")
ESCAPED_EDGE = lazy(rb"\\{1,4}[nr]")
_LINE_END = lazy(rb"\n")
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
_RAISED = lazy(rb"\S[^\n]{0,160}?\b[A-Za-z_.]{0,80}(?:Error|Exception)(?::|\s{0,4}$)")


def speaker_of(content: bytes, front: bytes, first: int) -> Speaker:
    """Who speaks on this line; else who began the traceback that ends on it, if nobody interrupted."""
    here = speaker(front)
    if here.own != NOBODY:
        return here
    floor = max(0, first - _TRACEBACK_REACH)
    began = content.rfind(_TRACEBACK, floor, first)
    if began < 0:
        return here
    start = line_start(content, began)
    before = content[start:began]
    lines = (EDGE if _quoted(before) else _LINE_END).split(content[began:first])[1:]
    spoken = [(speaker(line[:300]), line) for line in lines]
    spoken = [each for each in spoken if each[0].service in (None, here.service)]
    if any(who.own != NOBODY for who, _ in spoken):
        return here
    if any(_RAISED.match(_behind_service(line, who)) for who, line in spoken[:-1]):
        return here  # that traceback has ended: what follows is anybody's
    who = speaker(own_line(before))
    if here.service != who.service:
        return here
    return who if who.process else who._replace(process=_announced(content, start))


_ANNOUNCED = lazy(rb"(?:^|[\s|)\]])Process ([\w.:-]{1,60}):[ \t]{0,8}\r?$")


def _announced(content: bytes, start: int) -> str | None:
    """The child whose traceback begins behind `Process SpawnProcess-1:` (Python's multiprocessing)."""
    if start <= 0:
        return None
    found = _ANNOUNCED.search(content[line_start(content, start - 1) : start - 1])
    return found[1].decode() if found else None


def _behind_service(line: bytes, who: Speaker) -> bytes:
    """The line without the name of its container, where it has one."""
    return (
        line[:300].partition(b"|")[2].lstrip() if who.service and b"|" in line[:120] else line[:300]
    )


def _quoted(front: bytes) -> bool:
    """True where a string begins on the line: its line ends are escaped, and no part of a path."""
    return b'"' in front or b"'" in front
