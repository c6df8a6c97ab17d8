"""Refusals of SGLang: to start by its own arithmetic, or to go on when its own pool has no place left (C11).

What torch could not allocate while graphs were captured is torch's own message and is read as such.
"""

from __future__ import annotations

import re

from fiche.importers._lines import NUMBER, Line
from fiche.importers._logged import Counter, Rule, note
from fiche.importers._sglang_figures import SglangLog, gb
from fiche.kernel.piece import Failure, Printed
from fiche.kernel.said import tell

_GB = 10**9
_SHOWN = 500
_REST = Counter("sglang.rest_memory", "process", "capacity", "budget")


def _refused(
    log: SglangLog,
    line: Line,
    match: re.Match[str],
    quantities: dict[str, Printed] | None = None,
    memory: str = "device",
) -> None:
    words = re.sub(r"\s{1,200}", " ", match[0])[:_SHOWN]
    failure = Failure(
        pointer=log.sheet.place(line),
        message_kind="admission_check",
        memory=memory,
        backend=log.backend if memory == "device" else None,
        rank=line.speaker.rank,
        quantities=quantities or {},
        message=words,
    )
    log.refusals.add(line, failure, words.replace(" ", ""))


def _plain(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    _refused(log, line, match)


def _host(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    """The host tier counts in 10**9; its free memory leaves out what is kept for other uses."""
    log.host_figures = True
    asked, free = gb(match["asked"], _GB), gb(match["free"], _GB)
    _refused(log, line, match, {"requested": asked, "free": free}, memory="host")


def _unbalanced(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    """Raised in some versions, a warning in others: only what was raised is a failure."""
    if re.search(r"(?:Error|Exception):\s{0,9}$", line.text[: match.start()]):
        _refused(log, line, match)
    else:
        reason = tell("a warning that devices differ in free memory; nothing failed")
        log.sheet.plan(line, match[0], reason)


def _hybrid(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    if match["rest"]:
        log.device_figures = True
        note(log.sheet, line, _REST, gb(match["rest"]), rank=line.speaker.rank)
    _refused(log, line, match)


RULES: tuple[Rule[SglangLog], ...] = (
    Rule(
        "Not enough memory",
        r"Not enough memory\. Please try to increase --mem-fraction-static",
        _plain,
    ),
    Rule(
        "Not enough host memory",
        rf"Not enough host memory .{{1,80}}?\. Requesting (?P<asked>{NUMBER}) GB but only have"
        rf" (?P<free>{NUMBER}) GB free",
        _host,
    ),
    Rule(
        "memory capacity is unbalanced",
        r"The memory capacity is unbalanced\. Some GPUs may be occupied by other processes",
        _unbalanced,
    ),
    Rule(
        "Not enough GPU memory for hybrid",
        r"Not enough GPU memory for hybrid \(mamba/linear-attention\) state cache\."
        rf"(?:.{{1,80}}\(total_rest_memory=(?P<rest>{NUMBER}) GB)?",
        _hybrid,
        whole=True,
    ),
    Rule(
        "out of memory. Try to lower",
        r"(?:Prefill|Decode) out of memory\. Try to lower your batch size",
        _plain,
    ),
)
