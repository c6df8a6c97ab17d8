"""Who speaks in a log of vLLM: workers by rank or process, the engine core, the server (evidence_formats 6.1).

0.5 to 0.8 name worker processes by pid and leave the first worker unnamed; 0.8 to 0.10 name `VllmWorker`
ranks; later ones `Worker_TP0`. What an engine core says holds for all of its workers and has no rank.
"""

from __future__ import annotations

from typing import Any

from fiche.importers._lines import Line
from fiche.importers._logged import Counter, Refusals, note
from fiche.importers._sheet import Sheet
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed
from fiche.kernel.record import field, record

_PROCESSES = (b"(VllmWorkerProcess pid=", b"(RayWorkerWrapper pid=", b"(RayWorker pid=")
_PROCESS = lazy(r"\((?:VllmWorkerProcess|RayWorker(?:Wrapper|Proc)?) pid=(\d{1,10})\b")
_NAMED = lazy(r"\((?:Vllm)?Worker[ _]((?:[A-Z]{2,4}\d{1,5}[ _]){1,6})pid=")
_CORE = lazy(r"\(EngineCore(?:[_ ](?:DP)?(\d{1,4}))?[ _]")
# Nothing in brackets stands before the level: the worker that runs in the server's own process.
_UNNAMED = lazy(r"[^()]{0,200}\b(?:INFO|WARNING|ERROR|DEBUG) [0-9]")
_FRONT = 400


@record(frozen=False, kw_only=False)
class VllmLog:
    """What is known while a log is read; `workers` where processes are named by pid."""

    sheet: Sheet
    refusals: Refusals
    workers: bool
    cores: bool
    backend: str = "cuda"
    version: str = ""
    platforms: dict[str | None, tuple[Line, str]] = field(default_factory=dict)
    decimal_label: bool = False
    forms: set[str] = field(default_factory=set)
    totals: set[str] = field(default_factory=set)

    def rank(self, line: Line) -> int | str | None:
        """The worker that printed a line of its own; None where only one can have."""
        front = line.raw[:_FRONT]
        process = _PROCESS.search(front)
        if process is not None:
            return f"worker pid={process[1]}"
        named = _NAMED.search(front)
        if named is not None:
            return named[1].strip("_ ")
        if _CORE.search(front) is not None:
            return self.engine(line)
        told = line.speaker.rank
        main = told is None and self.workers and _UNNAMED.match(front) is not None
        return "main" if main else told

    def engine(self, line: Line) -> str | None:
        """The engine core that printed a line, where there are several."""
        core = _CORE.search(line.raw[:_FRONT])
        return f"DP{core[1]}" if core is not None and core[1] and self.cores else None

    def see(
        self,
        line: Line,
        counter: Counter,
        value: Printed,
        label: str = "",
        marks: dict[str, Any] | None = None,
    ) -> None:
        """A figure of the worker that printed the line."""
        note(self.sheet, line, counter, value, rank=self.rank(line), label=label, marks=marks)


def log_of(content: bytes, sha256: str) -> VllmLog:
    """The state at the beginning of a log."""
    sheet = Sheet(sha256)
    return VllmLog(
        sheet=sheet,
        refusals=Refusals(sheet),
        workers=any(words in content for words in _PROCESSES),
        cores=any(words in content for words in (b"EngineCore_DP1 ", b"EngineCore_1 ")),
    )
