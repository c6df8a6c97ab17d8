"""What programs, launchers and viewers put in front of a line: who printed it, when, on which rank.

A continuation of a wrapped message carries the same kind of prefix again: it is stripped before the
pieces are joined. Names of ranks are kept as printed.
"""

from __future__ import annotations

from typing import NamedTuple

from fiche.importers._marks import marked
from fiche.kernel.lazy import lazy

ANSI = (
    rb"\x1b\[[0-9;:?]{0,24}[ -/]{0,2}[@-~]"
    rb"|\x1b[\]_][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)"  # titles and links; what build servers add
)
_SGR = rb"\[[0-9;:]{0,24}m"
SIMPLE = rb"\s\x00-\x08\x0e-\x1a\x1c-\x1f\x7f"
# Blanks, control characters, colours; line ends, blanks and colours as JSON, a shell or a log daemon writes
# them, or as they are left when the escape sign is lost; no-break, zero-width and ideographic blanks, a byte
# order mark inside a text. A set of first bytes, then what must follow: so they are found quickest.
GAP = (
    rb"(?:[" + SIMPLE + rb"\x1b\\#^\[\xc2\xe2\xe3\xef](?:(?<=[" + SIMPLE + rb"])"
    rb"|(?<=\x1b)(?:\[[0-9;:?]{0,24}[ -/]{0,2}[@-~]|[\]_][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\))"
    rb"|(?<=\\)\\{0,16}(?:[nrt]|u(?:00[aA]0|20[0-2][0-9a-fA-F]|2060|3000|[fF][eE][fF][fF])"
    rb"|(?:u001[bB]|x1[bB]|033|e)" + _SGR + rb")"
    rb"|(?<=#)033" + _SGR + rb"|(?<=\^)\[" + _SGR + rb"|(?<=\[)[0-9;:]{0,24}m"
    rb"|(?<=\xc2)\xa0|(?<=\xe3)\x80\x80|(?<=\xef)\xbb\xbf"
    rb"|(?<=\xe2)(?:\x80[\x80-\x8f\xa8\xa9\xaf]|\x81\xa0|(?:\x90\x9b|\x86\x90)" + _SGR + rb")))"
)

# Without one of these a gap is of simple bytes alone: `#033[1m` and `^[[1m` hold a bracket.
GAP_MARKS = (b"\x1b", b"\\", b"[", b"\xc2", b"\xe2", b"\xe3", b"\xef")

_DATE = rb"\d{4}[-/]\d\d[-/]\d\d"
_CLOCK = rb"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_LEVEL = rb"(?:TRACE|DEBUG|INFO|NOTICE|SUCCESS|WARNING|WARN|ERROR|CRITICAL|FATAL)"
_SOURCE = rb"[\w./\\<>-]{1,120}\.(?:py|cc|cpp|cu|h|cuh):\d{1,6}"
_PREFIXES = (
    GAP + rb"{1,200}",
    # Ranks: torchrun and its templates, mpirun (old and new), srun -l, Intel MPI and MPICH.
    rb"\[(?:rank|Rank|RANK|default|proc|trainer)[ :=_]{0,2}\d{1,5}(?:\|\d{1,5})?\]:?",
    rb"\[(?:[\w.-]{1,80}@)?\d{1,5},\d{1,5}\]<std(?:err|out)>:?",
    rb"(?:rank|Rank|RANK)[ _]?\d{1,5}:(?=\s)",
    rb"\d{1,5}: ",
    rb"[\w.-]{1,80}: {1,2}(?=\[(?:rank|Rank|default)\d)",
    rb"\[\d{1,5}\](?=\s)",
    rb"\([A-Za-z_][\w.:-]{0,60}(?: [^()\n]{0,120}?)?\b(?:pid|ip|rank)=[^()\n]{1,160}\)",
    rb"\((?:pid|ip)=[^()\n]{1,160}\)",
    # Times: logging, build servers, docker, journald in any language.
    rb"\[?" + _DATE + rb"[T ,_]{0,2}" + _CLOCK + rb"(?: (?:TP|DP|PP|EP)\d+)*\]?:?",
    rb"\[?\d\d[-/]\d\d[ T]" + _CLOCK + rb"\]?",
    rb"\[?" + _CLOCK + rb"\]?",
    rb"\d\d[OE][ +]",
    rb"[A-Za-z\x80-\xff.]{3,24} {1,2}\d{1,2} " + _CLOCK + rb" \S{1,80} \S{1,80}:",
    rb"\S{1,80} [\w@.-]{1,80}\[\d{1,9}\]:",
    rb"\d{1,7}\.\d{1,3}s(?:[ \t]{1,8}|\\{1,4}t)\d{1,7}(?:[ \t]|\\{1,4}t)",
    # Levels and sources of loggers.
    rb"\[?" + _LEVEL + rb"\b\]?(?::[\w.]{1,80}:(?=\S)|:)?",
    rb"\[" + _LEVEL + rb"\|[\w./\\-]{1,120}:\d{1,6}\]",
    rb"\[" + _SOURCE + rb"(?::\w{1,60})?\]",
    _SOURCE + rb"\]",
    rb"\{" + _SOURCE + rb"\}",
    rb"[\w.<>]{1,120}:[\w.<>]{1,80}:\d{1,6}(?= - )",
    rb"-(?=\s)(?: [\w.]{1,80} -(?=\s))?",
    rb"[EWIF]\d{4} " + _CLOCK + rb" {1,4}\d{1,9} [^\]\s]{1,160}\]",
    rb"\[[EWIF]\d{3,4} " + _CLOCK + rb" [^\]\s]{1,160}\]",
    # Containers: compose, docker's own files, kubernetes' own files and tools.
    rb"[\w.@-]{1,80}[ \t]{0,20}\|(?=[\s\x1b\\])",
    rb'\{"log":"',
    rb"std(?:err|out) [FP](?::\S{1,40})? ",
    rb"\[(?:pod|container)/[\w./-]{1,240}\]",
    # Viewers, build servers, test reports.
    rb"\|(?=\s)",
    rb"E[ \t]{2,20}",
    rb"[>#]{1,3}(?=\s)",
    rb"\xe2\x94[\x82\x83]|\xe2\x95[\x91]",
    rb"##\[\w{1,12}\]|::\w{1,12}(?: [^:\n]{1,200})?::",
)
_PREFIX = lazy(rb"|".join(_PREFIXES))
_MAX_PARTS = 16
# A small letter begins a prefix only where one of these follows, or two colons do;
# `rank 0:` and `stdout F` aside.
_LETTERS = b"abcdefghijklmnopqtuvwxyz"
_PREFIX_MARKS = (b"[", b"]", b"|")

# A log handler's column at the right edge, or the border of a panel, behind a wrapped line.
_TAIL = lazy(
    rb"(?:[ \t]{2,20}[\w./\\-]{1,120}\.(?:py|cc|cpp|cu):\d{1,6})?[ \t]{0,20}"
    rb"(?:\xe2\x94[\x82\x83]|\xe2\x95\x91)?[ \t]{0,20}\r?$"
)
_TAIL_MARKS = (b".py:", b".cc:", b".cpp:", b".cu:", b"\xe2\x94", b"\xe2\x95")
# docker's own files: what stands behind the text of a line.
_DOCKER_TAIL = lazy(
    rb'(?:\\n)?","stream":"std(?:err|out)"(?:,"attrs":\{[^{}\n]{0,400}\})?,"time":"[^"\n]{1,40}"\}\r?$'
)
_DOCKER_LONGEST = 600

_RANK = lazy(
    rb"\[(?:rank|Rank|RANK|default|proc|trainer)[ :=_]{0,2}(\d{1,5})(?:\|\d{1,5})?\]"
    rb"|\[(?:[\w.-]{1,80}@)?\d{1,5},(\d{1,5})\]<std"
    rb"|\brank[=:]\s?(\d{1,5})\b"
    rb"|\bRANK[ =:]{1,2}(\d{1,5})\b"
)
_NAMED = lazy(
    rb"\((?:\w{1,40}?_)?((?:DP|PP|TP|EP)\d{1,4}(?:_(?:DP|PP|TP|EP)\d{1,4}){0,3})\b[^()\n]{0,80}\bpid="
    rb"|" + _CLOCK + rb" ((?:(?:TP|DP|PP|EP)\d{1,4} ?){1,4})\]"
)
# srun's label, and what some launchers write: only where a line starts with it.
_LABEL = lazy(rb"[ \t]{0,5}(?:(?:rank|Rank|RANK)[ _]?)?(\d{1,5}): ")
_PID = lazy(rb"\bpid=(\d{1,10})")
_LOOK_BACK = 600


# What a viewer of several containers writes before each line: compose (`name-1  | `, one that is named by
# hand is padded with two blanks), podman, kubectl, kubetail, stern. A logger's column is no name.
_SERVICE = lazy(
    rb"(?:\d{4}-\d\d-\d\dT[\d:.]{8,20}Z )?(?:" + ANSI + rb"|\[[0-9;]{1,12}m|[ \t]){0,8}(?:"
    rb"(?!(?:TRACE|DEBUG|INFO|NOTICE|SUCCESS|WARN(?:ING)?|ERROR|CRITICAL|FATAL|step|epoch|iter|batch)\b)"
    rb"(?P<compose>[A-Za-z][\w.@-]{0,70}[_-]\d{1,4}(?=[ \t]{1,60}\|)|[A-Za-z][\w.@-]{1,79}(?=[ \t]{2,60}\|))"
    rb"[ \t]{1,60}\|(?=[\s\x1b\[]|$)"
    rb"|\[(?P<podman>[\w.@-]{1,80})\][ \t]{1,20}\|(?=\s)"
    rb"|\[(?P<kubectl>(?:pod|container)/[\w./-]{1,240})\](?=\s)"
    rb"|\[?(?P<pod>[a-z0-9][a-z0-9-]{0,200}-[bcdf-hj-np-tv-xz2456789]{8,10}-[bcdf-hj-np-tv-xz2456789]{5}"
    rb"(?: [a-z][a-z0-9-]{0,62})?)\]?(?=\s))"
)
_DASHES = 2  # of a pod's name, which alone needs neither bar nor bracket
_HOST = lazy(rb"\bip=([\w.:]{1,60})")


class Speaker(NamedTuple):
    """Who printed a line: the rank or name it shows, and a process where only that is shown.

    `service` is the container or pod that a viewer of several puts in front; `process` the name under which
    Python announces the traceback of a child; `host` the machine of the process.
    """

    rank: int | str | None
    pid: str | None
    service: str | None = None
    process: str | None = None
    host: str | None = None

    def may_be(self, other: Speaker) -> bool:
        """False only when both say who they are and they differ."""
        apart = ((self.service, other.service), (self.process, other.process))
        if any(one is not None and two is not None and one != two for one, two in apart):
            return False
        if self.rank is not None and other.rank is not None:
            return self.rank == other.rank
        if self.host is not None and other.host is not None and self.host != other.host:
            return False
        return self.pid is None or other.pid is None or self.pid == other.pid

    @property
    def own(self) -> Speaker:
        """The same without the container that it speaks from."""
        return self._replace(service=None)

    def and_of(self, other: Speaker) -> Speaker:
        """The same, with what only another line of the same speaker tells."""
        return Speaker(
            rank=other.rank if self.rank is None else self.rank,
            pid=self.pid or other.pid,
            service=self.service or other.service,
            process=self.process or other.process,
            host=self.host or other.host,
        )

    @property
    def name(self) -> str:
        """The service and the process for people; empty where neither is told."""
        pid = f"pid {self.pid}" if self.pid else ""
        where = f"on {self.host}" if self.host else ""
        process = " ".join(word for word in (pid, where) if word)
        return ", ".join(word for word in (self.service, self.process, process) if word)


NOBODY = Speaker(None, None)


def speaker(prefix: bytes) -> Speaker:
    """Read who speaks from the text in front of a message on its line (last word wins)."""
    near = prefix[-_LOOK_BACK:].rpartition(b"\r")[2]
    pid = _PID.findall(near) if b"pid=" in near else []
    host = _HOST.findall(near) if pid else []
    return Speaker(
        _rank(near),
        pid[-1].decode() if pid else None,
        _service(prefix),
        host=host[-1].decode() if host else None,
    )


def _service(prefix: bytes) -> str | None:
    if prefix.count(b"-") < _DASHES and not marked(prefix, (b"|", b"]")):
        return None
    found = _SERVICE.match(prefix) or _SERVICE.match(prefix[prefix.rfind(b"\r") + 1 :])
    if found is None or found.lastgroup is None:
        return None
    return found[found.lastgroup].decode().removeprefix("pod/")


def _rank(near: bytes) -> int | str | None:
    numbered = _RANK.findall(near) if marked(near, (b"[", b"rank", b"RANK")) else []
    if numbered:
        return int(next(group for group in numbered[-1] if group))
    named = _NAMED.findall(near) if marked(near, (b"pid=", b"]")) else []
    if named:
        name: bytes = next(group for group in named[-1] if group)
        return name.decode().strip()
    label = _LABEL.match(near)
    return int(label[1]) if label else None


def stripped(front: bytes) -> bytes:
    """What stands in front of a message, without the prefixes of programs and viewers."""
    return front[body(front, 0, len(front), b"")[0] :]


def right_edge(content: bytes, start: int, stop: int) -> int:
    """Where the text of a line ends before a handler's column or a panel's border."""
    if content.endswith(b"}", start, stop) or content.endswith(b"}\r", start, stop):
        docker = _DOCKER_TAIL.search(content, max(start, stop - _DOCKER_LONGEST), stop)
        stop = docker.start() if docker else stop
    near = max(start, stop - 200)
    if not marked(content, _TAIL_MARKS, near, stop):
        return stop
    tail = _TAIL.search(content, near, stop)
    return tail.start() if tail else stop


def body(content: bytes, start: int, stop: int, first: bytes) -> tuple[int, int]:
    """Where the text of a continuation line lies between its prefix and its right edge.

    `first` is what stood in front of the message on its first line: a viewer's own prefix repeats.
    """
    at = start
    if first.strip() and content.startswith(first, start):
        at = start + len(first)
    for _ in range(_MAX_PARTS):
        match = _PREFIX.match(content, at, stop) if _may_begin(content, at, stop) else None
        if match is None or match.end() == at:
            break
        at = match.end()
    return at, right_edge(content, at, stop)


def _may_begin(content: bytes, at: int, stop: int) -> bool:
    """False where no prefix can begin: the pattern of all of them takes long to compile."""
    return (
        content[at : at + 1] not in _LETTERS
        or content.count(b":", at, stop) > 1
        or marked(content, _PREFIX_MARKS, at, stop)
    )
