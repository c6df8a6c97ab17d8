"""The table that llama.cpp prints when it ends: what each device holds, and for whom (2025 on).

All figures are whole MiB, cut down. The same table is printed for a load that was only planned: where what
is held and what is free exceed a device, nothing was allocated. Differences are unsigned in many builds and
print near 2**44 where they should be negative: what is unaccounted for in a plan, and what is free where a
driver spilled to the host's memory.
"""

from __future__ import annotations

import re

from fiche.importers import _logged_facts
from fiche.importers._figures import MIB, about, floored
from fiche.importers._lines import Line
from fiche.importers._llamacpp_buffers import LlamaLog, backend_of, device_of, on_host
from fiche.importers._logged import Counter, Rule
from fiche.kernel.piece import Printed
from fiche.kernel.said import tell

_MAX_ROWS = 256
_COLUMNS = (("self", ""), ("model", ""), ("context", "context"), ("compute", ""))
_NAMES = {
    "self": "llamacpp.self",
    "model": "llamacpp.model_buffer",
    "context": "llamacpp.kv_buffer",
    "compute": "llamacpp.compute_buffer",
}
_TOTAL = Counter("total_gpu_memory", "device", "total")
_FREE = Counter("device_free", "device", "free")
_REST = Counter("device_unaccounted", "device", "current")


def _mib(number: str) -> Printed:
    return floored(number, " MiB", MIB)


def _header(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    settle(log)


def _row(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    if len(log.rows) >= _MAX_ROWS:
        settle(log)
    log.rows.append((line, match))


def settle(log: LlamaLog) -> None:
    """Read the rows of one table together: one device shows whether all of it was only planned."""
    rows, log.rows = log.rows, []
    planned = any(_planned(match) for _, match in rows if _of_a_device(match))
    log.projected |= planned
    for line, match in rows:
        log.shape = "llama-breakdown"
        if _of_a_device(match):
            _device(log, line, match, planned=planned)
        else:
            scope = "host_process" if on_host(match["device"]) else "process"
            _held(log, line, match, scope, planned=planned)


def _of_a_device(match: re.Match[str]) -> bool:
    """A device's row has its total and what is free; those of the host and of others have not."""
    return "total" in match.re.groupindex


def _planned(match: re.Match[str]) -> bool:
    whole, free = int(match["total"]), int(match["free"])
    return free <= whole < int(match["self"]) + free


def _device(log: LlamaLog, line: Line, match: re.Match[str], *, planned: bool) -> None:
    buffer, name, whole = match["device"], match["name"].strip(), int(match["total"])
    log.see(line, _TOTAL, _mib(match["total"]), buffer)
    if int(match["free"]) <= whole:
        log.see(line, _FREE, _mib(match["free"]), buffer)
    else:
        _underflow(log, line, f"free {match['free']}")
        log.sheet.warn(
            tell("spilled: more is held than the device has: part of it lies in the host's memory")
        )
    if backend_of(buffer) in {"cuda", "rocm"}:
        log.sheet.total(line, "cuda_total_other", _mib(match["total"]), device_of(buffer), name)
    index = device_of(buffer)
    if index is not None and f"devices.{index}.name" not in log.sheet.facts:
        _logged_facts.device_fact(log.sheet, line, index, name)
    _held(log, line, match, "process", planned=planned)
    _unaccounted(log, line, match["rest"], buffer, whole, planned=planned)


def _held(log: LlamaLog, line: Line, match: re.Match[str], scope: str, *, planned: bool) -> None:
    for column, label in _COLUMNS:
        counter = Counter(
            _NAMES[column],
            scope if column == "self" else "component",
            "need" if planned else "current",
            "estimated" if planned else "runtime_reported",
        )
        log.see(line, counter, _mib(match[column]), match["device"], label)


def _unaccounted(
    log: LlamaLog, line: Line, number: str, buffer: str, whole: int, *, planned: bool
) -> None:
    if int(number) > whole:
        _underflow(log, line, f"unaccounted {number}")
    elif planned:
        reason = tell("a difference of figures of which one was only planned")
        log.sheet.plan(line, f"unaccounted {number}", reason)
    else:
        value = about(number, " MiB", MIB) if number.startswith("-") else _mib(number)
        log.see(line, _REST, value, buffer, "drivers and other programs")


def _underflow(log: LlamaLog, line: Line, text: str) -> None:
    log.sheet.plan(line, text, tell("a negative number in an unsigned field"))
    log.sheet.warn(
        tell("underflow: a negative difference is printed as a number near 2**44; it is left out")
    )


_N = r"[0-9]{1,14}"
_NAME = r"[A-Za-z][\w.:\[\]-]{0,60}"
_DEVICE = rf"- (?P<device>{_NAME})"
_PARTS = rf"(?P<model>{_N}) \+ (?P<context>{_N}) \+ (?P<compute>{_N})"
_DEVICE_ROW: Rule[LlamaLog] = Rule(
    " + (",
    rf"{_DEVICE} \((?P<name>.{{1,120}}?)\) [|:] (?P<total>{_N}) = (?P<free>{_N}) \+"
    rf" \( (?P<self>{_N}) = {_PARTS} \) \+ (?P<rest>-?{_N}) \|",
    _row,
)
RULES: tuple[Rule[LlamaLog], ...] = (
    Rule("memory breakdown", r"memory breakdown \[MiB\]", _header),
    _DEVICE_ROW,
    Rule("- Host", rf"- (?P<device>Host) [|:] (?P<self>{_N}) = {_PARTS} \|", _row),
    Rule(
        "breakdown_print",
        rf"- (?!Host)(?P<device>{_NAME}) \| (?P<self>{_N}) = {_PARTS} \|",
        _row,
    ),
)
