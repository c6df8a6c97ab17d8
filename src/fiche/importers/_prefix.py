"""What programs, launchers and viewers put in front of a line: who printed it, when, on which rank.

A continuation of a wrapped message carries the same kind of prefix again: it is stripped before the
pieces are joined. Names of ranks are kept as printed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

ANSI = rb"\x1b\[[0-9;:?]{0,24}[ -/]{0,2}[@-~]|\x1b\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)"
ESCAPED = rb"\\+[nrt]|\\+u001[bB]\[[0-9;:]{0,24}m"
GAP = rb"(?:\s|" + ANSI + rb"|" + ESCAPED + rb"|\xc2\xa0|[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f])"

_DATE = rb"\d{4}[-/]\d\d[-/]\d\d"
_CLOCK = rb"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_PREFIXES = (
    GAP + rb"{1,200}",
    rb"\[(?:rank|Rank|RANK|default|proc|trainer)[ :=]{0,2}\d{1,5}\]:?",
    rb"\[\d{1,5},\d{1,5}\]<std(?:err|out)>:",
    rb"\([A-Za-z_][\w.:-]{0,60}(?: [^()\n]{0,120}?)?\b(?:pid|ip|rank)=[^()\n]{1,160}\)",
    rb"\((?:pid|ip)=[^()\n]{1,160}\)",
    rb"\[?" + _DATE + rb"[T ,_]{0,2}" + _CLOCK + rb"(?: (?:TP|DP|PP|EP)\d+)*\]?:?",
    rb"\[?\d\d[-/]\d\d[ T]" + _CLOCK + rb"\]?",
    rb"\[?" + _CLOCK + rb"\]?",
    rb"\[?(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)\b\]?:?",
    rb"\[[\w./\\-]{1,120}\.(?:py|cc|cpp|cu|h):\d{1,6}(?::\w{1,60})?\]",
    rb"[\w./\\-]{1,120}\.(?:py|cc|cpp|cu|h):\d{1,6}\]",
    rb"[EWIF]\d{4} " + _CLOCK + rb" {1,4}\d{1,9} [^\]\s]{1,160}\]",
    rb"[A-Z][a-z]{2} {1,2}\d{1,2} " + _CLOCK + rb" \S{1,80} \S{1,80}:",
    rb"[\w.-]{1,60}[ \t]{0,20}\|(?=\s)",
    rb"\|(?=\s)",
    rb"\d{1,7}\.\d{1,3}s[ \t]{1,8}\d{1,7}[ \t]",
    rb"E[ \t]{2,20}",
    rb"[>#](?=\s)",
    rb"\xe2\x94[\x82\x83]",
    rb"##\[\w{1,12}\]",
)
_PREFIX = re.compile(rb"|".join(_PREFIXES))
_MAX_PARTS = 16

# A log handler's column at the right edge, or the border of a panel, behind a wrapped line.
_TAIL = re.compile(
    rb"(?:[ \t]{2,20}[\w./\\-]{1,120}\.(?:py|cc|cpp|cu):\d{1,6})?[ \t]{0,20}"
    rb"(?:\xe2\x94[\x82\x83])?[ \t]{0,20}$"
)

_RANK = re.compile(
    rb"\[(?:rank|Rank|RANK|default|proc|trainer)[ :=]{0,2}(\d{1,5})\]"
    rb"|\[\d{1,5},(\d{1,5})\]<std"
    rb"|\brank[=:]\s?(\d{1,5})\b"
    rb"|\bRANK[ =:]{1,2}(\d{1,5})\b"
)
_NAMED = re.compile(
    rb"\((?:\w{1,40}?_)?((?:DP|PP|TP|EP)\d{1,4}(?:_(?:DP|PP|TP|EP)\d{1,4}){0,3})\b[^()\n]{0,80}\bpid="
    rb"|" + _CLOCK + rb" ((?:(?:TP|DP|PP|EP)\d{1,4} ?){1,4})\]"
)
_PID = re.compile(rb"\bpid=(\d{1,10})")
_LOOK_BACK = 600


class Speaker(NamedTuple):
    """Who printed a line: the rank or name it shows, and a process where only that is shown."""

    rank: int | str | None
    pid: str | None

    def may_be(self, other: Speaker) -> bool:
        """False only when both say who they are and they differ."""
        if self.rank is not None and other.rank is not None:
            return self.rank == other.rank
        return self.pid is None or other.pid is None or self.pid == other.pid


NOBODY = Speaker(None, None)


def speaker(prefix: bytes) -> Speaker:
    """Read who speaks from the text in front of a message on its line (last word wins)."""
    near = prefix[-_LOOK_BACK:].rpartition(b"\r")[2]
    pid = _PID.findall(near)
    return Speaker(_rank(near), pid[-1].decode() if pid else None)


def _rank(near: bytes) -> int | str | None:
    numbered = _RANK.findall(near)
    if numbered:
        return int(next(group for group in numbered[-1] if group))
    named = _NAMED.findall(near)
    if named:
        name: bytes = next(group for group in named[-1] if group)
        return name.decode().strip()
    return None


def stripped(front: bytes) -> bytes:
    """What stands in front of a message, without the prefixes of programs and viewers."""
    return front[body(front, 0, len(front), b"")[0] :]


def right_edge(content: bytes, start: int, stop: int) -> int:
    """Where the text of a line ends before a handler's column or a panel's border."""
    tail = _TAIL.search(content, max(start, stop - 200), stop)
    return tail.start() if tail else stop


def body(content: bytes, start: int, stop: int, first: bytes) -> tuple[int, int]:
    """Where the text of a continuation line lies between its prefix and its right edge.

    `first` is what stood in front of the message on its first line: a viewer's own prefix repeats.
    """
    at = start
    if first.strip() and content.startswith(first, start):
        at = start + len(first)
    for _ in range(_MAX_PARTS):
        match = _PREFIX.match(content, at, stop)
        if match is None or match.end() == at:
            break
        at = match.end()
    return at, right_edge(content, at, stop)
