"""axolotl's memory: metrics in the trainer's dictionaries and state, and the lines of its logger.

axolotl 0.19.0, `core/trainers/base.py` and `utils/bench.py` (evidence_formats 4). The metrics are three peaks
of torch's allocator, GiB with two decimals, of the main process. The newer line holds three peaks too: its `+`
is no sum. Metrics and newer lines reset the peaks. The older line holds what is allocated now, what more the
allocator holds, and what NVML sees of the device beyond that. GB is 2**30.
"""

from __future__ import annotations

import re

from fiche.importers import _training
from fiche.importers._entries import Entry, Value, entries, is_document
from fiche.importers._figures import GIB, nearest
from fiche.importers._lines import NUMBER, Line, holds, lines, spaced
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed, Reading
from fiche.kernel.rounding import bounds_only
from fiche.kernel.said import tell

_METRICS = (b"memory/max_", b"memory/device_")
_LINES = (
    b"GB allocated",
    b" memory active:",
    b"GPU memory usage",
    b" memory usage ",
    b"GB cache",
    b"GB misc",
)
_LOGGER = "[axolotl."
_KEYS = (
    r"memory/max_(?:mem_)?(?:active|allocated)\s{0,3}\(gib\)|"
    r"memory/max_(?:active|allocated)\s{0,3}\(GiB\)|"
    r"memory/device_(?:mem_)?reserved\s{0,3}\((?:gib|GiB)\)"
)
_COUNTER = lazy(r"(active|allocated|reserved)\s{0,3}\(")
_NEW = spaced(
    rf"\b(?P<active>{NUMBER}) GB \( \+ (?P<allocated>{NUMBER}) GB allocated"
    rf"(?: , \+ (?P<reserved>{NUMBER}) GB reserved)? \)"
)
_OLD = spaced(
    rf"(?P<platform>GPU|cuda|npu|mps) memory usage (?P<label>[^:\n]{{0,120}}): (?P<usage>{NUMBER}) GB"
    rf"(?: \((?: \+ (?P<cache>{NUMBER}) GB cache)?(?:, )?(?: \+ (?P<misc>{NUMBER}) GB misc)? \))?"
)
_PLATFORM = lazy(r"\b(?P<platform>cuda|npu|mps|xpu|hpu) memory (?:active|usage)")
_LABEL_REACH = 120
_OWN = "process_allocator"


def read(content: bytes, sha256: str) -> Reading:
    """Every metric and line, with the program's words as label.

    Raises:
        Refused: a broken JSON document (F428), or none of these is there (F424).
    """
    sheet = Sheet(sha256)
    for entry in entries(content, sha256, _KEYS, _METRICS, "the trainer's state"):
        _metrics(sheet, entry)
    in_state = any(seen.pointer.path is not None for seen in sheet.observations)
    shape = "trainer-state" if in_state else "dict-lines"
    platforms: set[str] = set()
    if not in_state:
        named = ""
        for line in lines(content, _LINES):
            named = _line(sheet, line, named)
            platforms.add(named)
        sheet.observations.sort(key=lambda seen: seen.pointer.line or 0)
    if sheet.empty:
        raise nothing_found(content, sha256, "axolotl's metrics or lines of memory")
    if not any(seen.label.startswith("memory/") for seen in sheet.observations):
        shape = "text-lines"
    sheet.warn(_training.RANK_0)
    return sheet.reading("axolotl_log", shape, _backend(platforms))


def _backend(platforms: set[str]) -> str | None:
    known = platforms & {"cuda", "mps", "xpu"}
    return known.pop() if len(known) == 1 else None


def _metrics(sheet: Sheet, entry: Entry) -> None:
    marks = {} if entry.step is None else {"step": entry.step}
    for value in entry.values:
        counter = _COUNTER.search(value.key)
        figure = _figure(value)
        if counter is None or figure is None:
            continue
        place = value.place
        rank = place.speaker.rank if isinstance(place, Line) else None
        sheet.see(
            place,
            f"{counter[1]}_bytes",
            figure,
            scope=_OWN,
            stat="peak",
            rank=0 if rank is None else rank,
            label=value.key,
            window="since_previous_line",
            marks=marks,
        )
        sheet.warn(_training.WINDOW)


def _figure(value: Value) -> Printed | None:
    """Two decimals; a figure written as text has four digits at the most."""
    if not re.fullmatch(NUMBER, value.text) or value.text.startswith("-"):
        return None
    digits = 2
    if value.quoted:
        digits = min(2, max(0, 4 - len(value.text.partition(".")[0])))
    printed = len(value.text.partition(".")[2])
    return nearest(value.text, "", GIB, max(digits, printed))


def _line(sheet: Sheet, line: Line, before: str) -> str:
    """Note a line of the logger; the platform that it names, or that a line before it named."""
    new = _training.fits(line, "GB", _NEW)
    old = _training.fits(line, "memory usage", _OLD) if new is None else None
    if new is None and old is None:
        return before
    platform = _PLATFORM.search(line.text)
    name = platform["platform"] if platform is not None else before
    if name == "npu" or (new is not None and new["reserved"] is None and name != "mps"):
        reason = tell("on this platform the figures are not the ones that they are called")
        sheet.plan(line, line.text[:400], reason)
        return name
    if new is not None:
        _three(sheet, line, new, "current" if name == "mps" else "peak")
    elif old is not None:
        _usage(sheet, line, old)
    if _LOGGER in line.raw:
        sheet.fact(line, "engine.name", "axolotl")
    return name


def _rank(line: Line) -> int | str:
    """The rank that the line names; the main process alone prints where it names none."""
    return 0 if line.speaker.rank is None else line.speaker.rank


def _three(sheet: Sheet, line: Line, found: re.Match[str], stat: str) -> None:
    label = _words(found.string[max(0, found.start() - _LABEL_REACH) : found.start()])
    for name in ("active", "allocated", "reserved"):
        if found[name] is not None:
            value = nearest(found[name], "GB", GIB)
            sheet.see(
                line,
                f"{name}_bytes",
                value,
                scope=_OWN,
                stat=stat,
                rank=_rank(line),
                label=label,
                window="since_previous_line" if stat == "peak" else "",
            )
    sheet.warn(_training.binary("GB", 30))


def _words(label: str) -> str:
    return re.sub(r"\s{1,60}", " ", label.rpartition("]")[2]).strip(" :>")


def _usage(sheet: Sheet, line: Line, found: re.Match[str]) -> None:
    label, rank = _words(found["label"]), _rank(line)
    usage = nearest(found["usage"], "GB", GIB)
    sheet.see(line, "allocated_bytes", usage, scope=_OWN, stat="current", rank=rank, label=label)
    if found["cache"] is not None:
        cache = nearest(found["cache"], "GB", GIB)
        sheet.see(line, "cache", cache, scope=_OWN, stat="current", rank=rank, label=label)
        held = _sum(usage, cache)
        sheet.see(
            line,
            "reserved_bytes",
            held,
            scope=_OWN,
            stat="current",
            rank=rank,
            label=label,
            marks={"derived": True},
        )
    if found["misc"] is not None:
        misc = nearest(found["misc"], "GB", GIB)
        sheet.see(line, "misc", misc, scope="device", stat="delta", rank=rank, label=label)
        sheet.warn(
            tell(
                "beyond_the_allocator: misc is what NVML sees on the device, of every process, "
                "beyond what this process's allocator holds"
            )
        )
    sheet.warn(_training.binary("GB", 30))


def _sum(one: Printed, other: Printed) -> Printed:
    low = (one.low or 0) + (other.low or 0)
    high = (one.high or 0) + (other.high or 0)
    return bounds_only(f"{one.text} + {other.text}", low, high)


def accepts(content: bytes, name: str) -> int:
    """93 for a trainer's state with these metrics, 90 for lines of a log."""
    if holds(content, _METRICS) and re.search(_KEYS.encode(), content):
        return 93 if is_document(content) else 90
    if not holds(content, _LINES):
        return 0
    return 90 if _training.surely(content, _LINES, _SURE) else 0


# The older line's words alone are those of many programs: with its addends, or under its logger's name.
_SURE = spaced(
    rf"GB \( \+ {NUMBER} GB (?:allocated|cache|misc)|\[axolotl\.[^\n]{{1,200}} memory usage [^:\n]{{0,120}}: "
    rf"{NUMBER} GB"
)

MEMBER = Importer(
    name="axolotl_log",
    title="axolotl's metrics and lines of memory",
    accepts=accepts,
    read=read,
    anchors=(*_METRICS, *_LINES),
    log=True,
)
