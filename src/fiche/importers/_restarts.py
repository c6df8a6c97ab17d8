"""Where a log tells that its program started anew: the same message behind such a place is another failure.

torchrun 2.x (`torch/distributed/elastic/agent/server/api.py`, `run.py`), the first lines of serving engines,
supervisors (systemd, supervisord, kubelet), and hours of further steps.
"""

from __future__ import annotations

from fiche.importers._marks import marked
from fiche.importers._prefix import speaker
from fiche.importers._speakers import line_start
from fiche.kernel.lazy import lazy
from fiche.kernel.record import field, record

_LOOKED_AT = 64 * 1024
_STARTED = lazy(
    rb"will restart worker group|Restarting\b(?! (?:is|may|might|can|could|should|will|would)\b)"
    rb"|\brestarting (?:worker group|failed container|(?:the )?(?:server|engine|container|process|job)\b)"
    rb"|restart counter is at \d|Scheduled restart job|spawned: '[^'\n]{1,80}' with pid"
    rb"|vLLM API server version|server_args=ServerArgs\(|Setting OMP_NUM_THREADS environment variable for each"
)
_STARTED_WORDS = (
    *(b"estart", b"spawned: '", b"vLLM API server version", b"server_args=ServerArgs("),
    b"Setting OMP_NUM_THREADS environment variable for each",
)
_STEP = lazy(rb"(?i)\b(?:step|iter|iteration|epoch)\b[ :=|/\[]{1,4}\d")
_STAMP = lazy(rb"\b(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)")
# Nothing repeats a message after so many steps, or after a few of another hour.
_MANY_STEPS, _FEW_STEPS = 200, 3


@record(frozen=False, kw_only=False)
class Restarts:
    """The last start of each container (None: of anybody) before a place; places are asked in order."""

    content: bytes
    _searched: int = 0
    _last: dict[str | None, int] = field(default_factory=dict)

    def before(self, place: int, service: str | None) -> int:
        """Where the last start before a place of the text stands; -1 where none is told.

        Only what lies between two places is searched: first comes the end of a message, then the start of the
        next one.
        """
        floor = max(self._searched, place - _LOOKED_AT)
        told = marked(self.content, _STARTED_WORDS, floor, place)
        for found in _STARTED.finditer(self.content, floor, place) if told else ():
            start = line_start(self.content, found.start())
            self._last[speaker(self.content[start : found.start()]).service] = found.start()
        if _ran_on(self.content, floor, place):
            self._last[service] = place
        self._searched = max(self._searched, place)
        names = {None, service} if service is not None else set(self._last)
        return max((self._last.get(name, -1) for name in names), default=-1)

    def skip(self, place: int) -> None:
        """Nothing up to here is searched: it is a message."""
        self._searched = max(self._searched, place)


def _ran_on(content: bytes, start: int, stop: int) -> bool:
    """True where the program went through many steps in between, or through some of another hour."""
    if start == 0:
        return False
    steps = sum(1 for _ in _STEP.finditer(content, start, stop))
    if steps < _FEW_STEPS:
        return False
    stamps = [(found[1], found[2]) for found in _STAMP.finditer(content, start, stop)]
    return steps >= _MANY_STEPS or (len(stamps) > 1 and _hours(stamps[0], stamps[-1]))


def _hours(first: tuple[bytes, bytes], last: tuple[bytes, bytes]) -> bool:
    """True where more than an hour lies between two stamps."""
    return first[0] != last[0] or abs(int(last[1]) - int(first[1])) > 1
