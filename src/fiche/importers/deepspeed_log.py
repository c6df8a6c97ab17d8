"""Lines of DeepSpeed about memory: see_memory_usage, its timers, MEMSTATS.

deepspeed 0.19.8, `runtime/utils.py` and `utils/timer.py` (evidence_formats 4). GB is 2**30 throughout. The
figures of see_memory_usage have two decimals, zeros dropped, but Max_CA is a whole number: 18 next to a CA of
18.34 is rounding. Each call resets the peaks, and only rank 0 prints.
"""

from __future__ import annotations

import re

from fiche.importers import _training
from fiche.importers._figures import GIB, nearest
from fiche.importers._lines import NUMBER, Line, holds, lines, spaced
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading

_ANCHORS = (
    b"Max_MA",
    b"CPU Virtual Memory:",
    b"MemAllocated=",
    b"mem_allocated:",
    b"current alloc=",
)
_TOLD = (b"DeepSpeed info", b"zero_optimization_stage .", b" world_size ..")
_OWN, _LIVE, _HELD = "process_allocator", "allocated_bytes", "reserved_bytes"
_SEE = spaced(
    rf"\bMA (?P<ma>{NUMBER}) GB Max_MA (?P<max_ma>{NUMBER}) GB CA (?P<ca>{NUMBER}) GB "
    rf"Max_CA (?P<max_ca>{NUMBER}) GB"
)
_HOST = spaced(rf"CPU Virtual Memory: used = (?P<used>{NUMBER}) GB")
_THROUGHPUT = spaced(rf"MemAllocated= (?P<now>{NUMBER}) GB, MaxMemAllocated= (?P<peak>{NUMBER}) GB")
_TIMER = spaced(
    rf"(?<!max_)mem_allocated: (?P<now>{NUMBER}) GB \| max_mem_allocated: (?P<peak>{NUMBER}) GB \| "
    rf"cache_allocated: (?P<cache>{NUMBER}) GB \| max_cache_allocated: (?P<max_cache>{NUMBER}) GB"
)
_STATUS = spaced(
    rf"current alloc= (?P<now>{NUMBER}) GB \(delta= (?P<delta>{NUMBER}) GB max= (?P<peak>{NUMBER}) GB\) "
    rf"current cache= (?P<cache>{NUMBER}) GB \(delta= (?P<cache_delta>{NUMBER}) GB "
    rf"max= (?P<max_cache>{NUMBER}) GB\)"
)
_STATUS_FRONT = lazy(
    r"RANK=(?P<rank>[0-9]{1,6})\b[^\n]{0,200}?\bMEMSTATS\s{1,9}(?P<label>[^\n]{0,200}?)\s{0,9}"
    r"(?:device=[a-z]{2,8}(?::(?P<device>[0-9]{1,4}))?\s{1,9})?current alloc="
)
_TAG = "see_memory_usage]"
_LABEL = lazy(r"see_memory_usage\]\s{0,9}(?P<label>.{1,300})$")
_LABEL_REACH = 8
_VERSION = lazy(r"DeepSpeed info:\s{0,9}version=(?P<version>[\w.+-]{1,60})")
_STAGE = lazy(r"zero_optimization_stage \.{2,60} (?P<stage>[0-3])\b")
_WORLD = lazy(r"\bworld_size \.{2,60} (?P<world>[0-9]{1,6})\b")
_SHARDING = ("none", "zero1", "zero2", "zero3")


def read(content: bytes, sha256: str) -> Reading:
    """Every figure of these lines; the label is the program's, and no phase.

    Raises:
        Refused: none of these lines is there (F424).
    """
    sheet = Sheet(sha256)
    shapes, label = [], ""
    for line in lines(content, (*_ANCHORS, *_TOLD)):
        seen = _training.fits(line, "Max_MA", _SEE)
        if seen is not None:
            label = _label(line, seen)
            _see(sheet, line, seen, label)
            shapes.append("see-memory-usage")
        elif host := _training.fits(line, "CPU Virtual", _HOST):
            _gigabytes(sheet, line, "host_used", host["used"], "host", "current", label, rank=None)
            shapes.append("see-memory-usage")
        elif found := _others(sheet, line):
            shapes.append(found)
        else:
            _facts(sheet, line)
    if sheet.empty:
        raise nothing_found(content, sha256, "a line of DeepSpeed about memory")
    sheet.warn(_training.binary("GB", 30))
    return sheet.reading("deepspeed_log", shapes[0])


def _see(sheet: Sheet, line: Line, seen: re.Match[str], label: str) -> None:
    rank = line.speaker.rank if line.speaker.rank is not None else 0
    window = "since_previous_line"
    for counter, key in (("allocated_bytes", "ma"), ("reserved_bytes", "ca")):
        now, peak = seen[key], seen[f"max_{key}"]
        _gigabytes(sheet, line, counter, now, _OWN, "current", label, rank)
        digits = 0 if key == "ca" and "." not in peak else 2
        _gigabytes(sheet, line, counter, peak, _OWN, "peak", label, rank, window, digits)
    sheet.warn(_training.RANK_0)
    sheet.warn(_training.WINDOW)


def _label(line: Line, seen: re.Match[str]) -> str:
    """The words of the call: the line before, of the same function where the log names it."""
    above = _training.line_before(line)
    if _TAG not in line.raw:
        if above is None:
            return ""
        front = seen.string[: seen.start()]  # a launcher's word, which repeats
        return above.text.removeprefix(front).strip(" ~")[:300]
    for _ in range(_LABEL_REACH):
        if above is None:
            break
        told = _LABEL.search(above.raw)
        if told is not None:
            return told["label"].strip()
        above = _training.line_before(above)
    return ""


def _others(sheet: Sheet, line: Line) -> str:
    """Note the lines of timers and of MEMSTATS; the name of the shape, empty for neither."""
    throughput = _training.fits(line, "MemAllocated=", _THROUGHPUT)
    if throughput is not None:
        _gigabytes(sheet, line, _LIVE, throughput["now"], _OWN, "current", "MemAllocated")
        _gigabytes(sheet, line, _LIVE, throughput["peak"], _OWN, "peak", "MaxMemAllocated")
        return "throughput-timer"
    timer = _training.fits(line, "mem_allocated:", _TIMER)
    if timer is not None:
        label = line.text[: timer.start()].strip(" |")[-200:]
        _levels(sheet, line, timer, label)
        return "wall-clock-timer"
    status = _training.fits(line, "current alloc", _STATUS)
    if status is None:
        return ""
    front = line.search(_STATUS_FRONT)
    told = front.groupdict() if front is not None else {}
    rank = int(told["rank"]) if told.get("rank") else line.speaker.rank
    device = int(told["device"]) if told.get("device") else None
    label = told.get("label") or ""
    _levels(sheet, line, status, label, rank, device)
    for counter, key in ((_LIVE, "delta"), (_HELD, "cache_delta")):
        delta = nearest(status[key], "GB", GIB, signed=True)
        sheet.see(
            line,
            counter,
            delta,
            scope=_OWN,
            stat="delta",
            rank=rank,
            device_index=device,
            label=label,
        )
    return "memory-status"


def _levels(
    sheet: Sheet,
    line: Line,
    found: re.Match[str],
    label: str,
    rank: int | str | None = None,
    device: int | None = None,
) -> None:
    for counter, key, stat in (
        (_LIVE, "now", "current"),
        (_LIVE, "peak", "peak"),
        (_HELD, "cache", "current"),
        (_HELD, "max_cache", "peak"),
    ):
        value = nearest(found[key], "GB", GIB)
        sheet.see(
            line,
            counter,
            value,
            scope=_OWN,
            stat=stat,
            rank=rank,
            device_index=device,
            label=label,
        )


def _gigabytes(
    sheet: Sheet,
    line: Line,
    counter: str,
    number: str,
    scope: str,
    stat: str,
    label: str,
    rank: int | str | None = None,
    window: str = "",
    digits: int = 2,
) -> None:
    value = nearest(number, _unit(line, number), GIB, max(digits, len(number.partition(".")[2])))
    sheet.see(line, counter, value, scope=scope, stat=stat, label=label, rank=rank, window=window)


def _unit(line: Line, number: str) -> str:
    return " GB" if f"{number} GB" in line.text else "GB"


def _facts(sheet: Sheet, line: Line) -> None:
    """What the log states of the run, under the paths of a fiche."""
    version = _VERSION.search(line.text)
    if version is not None:
        sheet.fact(line, "extensions.deepspeed", version["version"])
    stage = _STAGE.search(line.text)
    if stage is not None:
        sheet.fact(line, "placement.sharding", _SHARDING[int(stage["stage"])])
    world = _WORLD.search(line.text)
    if world is not None:
        sheet.fact(line, "placement.devices", world["world"])


def accepts(content: bytes, name: str) -> int:
    """90 for its lines with figures."""
    if not holds(content, _ANCHORS):
        return 0
    grammars = (_SEE, _THROUGHPUT, _TIMER, _STATUS, _HOST)
    return 90 if _training.surely(content, _ANCHORS, *grammars) else 0


MEMBER = Importer(
    name="deepspeed_log",
    title="DeepSpeed's lines about memory",
    accepts=accepts,
    read=read,
    anchors=(*_ANCHORS, *_TOLD),
    log=True,
)
