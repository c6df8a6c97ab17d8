"""The table that nvidia-smi prints when asked for nothing (evidence_formats 7): every layout of it.

Read as three columns between bars: `<= 440` without GI and CI, MIG rows from 450 on, a wider Bus-Id from
545 on, TCC/WDDM in place of Persistence-M on Windows. Several tables in one file (`watch`, `-l`) are a
series. What it shows is of the whole device, never a workload's need (C5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fiche.importers import _nvml_meaning as nvml
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_rows import Row, mostly, places, rows
from fiche.importers._device_tracks import NVML, Device
from fiche.importers._scan import Lines
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_HEADING = b"NVIDIA-SMI"
_OWN = lazy(rb"\||\+-|^[A-Z][a-z]{2} [A-Z][a-z]{2} |^Every ")
_QUIET = 12
# Of a long log only what surrounds these is kept.
_ANCHORS = (
    *(_HEADING, b"Bus-Id", b"MIG M.", b"MIG devices:", b"Processes:", b"No running processes"),
    *(b"MiB /", b"MiB |", b" Off |", b" On |", b"N/A |", b"N/A  N/A", b"abled |", b"Not Supported"),
)
_MOST_ROWS = 20_000
_HEAD = lazy(
    r"NVIDIA-SMI\s{1,20}(\S{1,30})"
    r"(?:\s{1,40}(?:Driver|KMD) Version:\s{0,20}(\S{1,30}))?"
    r"(?:\s{1,40}CUDA (?:UMD )?Version:\s{0,20}([0-9][0-9.]{0,9}|N/A|ERR!))?"
)
# What somebody wrote behind the last bar is no part of the row.
_CELLS = lazy(r"\|([^|]{0,200})\|([^|]{0,200})\|([^|]{0,200})\|[^|]{0,200}$")
_DEVICE = lazy(r"\s{0,8}([0-9]{1,4})\s{1,8}(\S.{0,80}?)\s{1,40}(On|Off|N/A|WDDM|TCC|MCDM)\s{0,8}")
_BUS = lazy(
    r"\s{0,12}([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])\s{1,12}(\S{2,3})\s{0,8}"
)
_AMOUNT = r"([0-9]{1,9}\s?MiB|N/A|ERR!|\[[^\]|]{1,30}\])"
_MEMORY = lazy(rf"\s{{0,20}}{_AMOUNT}\s{{0,4}}/\s{{0,12}}{_AMOUNT}\s{{0,20}}")
_SLICE = lazy(
    r"\|\s{0,8}([0-9]{1,4})\s{1,8}([0-9]{1,4})\s{1,8}([0-9]{1,4})\s{1,8}([0-9]{1,4})\s{0,8}"
    r"\|\s{0,40}([0-9]{1,9}MiB)\s{0,8}/\s{0,8}([0-9]{1,9}MiB)\s{0,40}\|"
)
_PROCESS = lazy(
    r"\|\s{0,8}([0-9]{1,4})\s{1,8}(?:([0-9]{1,4}|N/A)\s{1,8}([0-9]{1,4}|N/A)\s{1,20})?([0-9]{1,10})"
    r"\s{1,8}(C|G|C\+G|M\+C|M)\s{1,8}(\S?.{0,200}?)\s{1,80}([0-9]{1,9}MiB|N/A|Not Supported|\S{1,12})"
    r"\s{0,20}\|[^|]{0,200}$"
)
_TITLE = lazy(r"GPU\s{1,8}Name\s{1,40}(Persistence-M|TCC/WDDM|Driver-Model)")


@dataclass(slots=True)
class _State:
    """Where the reading stands in a table."""

    gauges: Gauges
    wddm: bool = False
    mig: bool = False
    wide: bool = False
    instances: bool = False
    part: str = "devices"
    device: Device | None = None
    row: int = 0
    when: int | None = None
    versions: list[str] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    cut: bool = False


def read(content: bytes, sha256: str) -> Reading:
    """Every table of a file: device and process figures, totals, driver, modes.

    Raises:
        Refused: no row of a device is in it (F424).
    """
    sheet = Sheet(sha256)
    state = _State(Gauges(sheet, NVML))
    for block in _tables(content):
        _table(block, state)
    if state.gauges.empty:
        raise nothing_found(content, sha256, "a device's row of the table of nvidia-smi")
    if state.cut:
        sheet.warn(tell("truncated: a table breaks off; what it did not print is not known"))
    state.gauges.close()
    nvml.device_unavailable(state.gauges)
    if state.mig:
        sheet.warn(nvml.MIG)
    return sheet.reading("nvidia_smi_table", _shape(state), nvml.BACKEND)


def _shape(state: _State) -> str:
    release = state.versions[0].partition(".")[0] if state.versions else "unknown"
    mode = "-mig" if state.mig else "-wddm" if state.wddm else ""
    return f"table-{release}{mode}"


def _tables(content: bytes) -> Iterator[list[Row]]:
    """The rows of each table: from the line before its heading to the last row with bars."""
    starts, lines = list(places(content, _HEADING)), Lines(content)
    for place, start in enumerate(starts):
        end = starts[place + 1] if place + 1 < len(starts) else len(content)
        above = _above(content, start)
        before = [row for row in rows(content, above, start, lines) if nvml.ctime(row.text)]
        yield before[-1:] + _joined(list(_block(content, start, end, lines)))


def _above(content: bytes, start: int) -> int:
    """Where the third line above a heading begins: the time stands there."""
    at = start
    for _ in range(3):
        floor = max(0, at - 4_096)
        at = max(content.rfind(b"\n", floor, max(at - 1, 0)) + 1, floor)
    return at


def _block(content: bytes, start: int, end: int, lines: Lines) -> Iterator[Row]:
    quiet = 0
    for count, row in enumerate(rows(content, start, end, lines)):
        text = row.text
        quiet = 0 if "|" in text or "+--" in text or not text.strip() else quiet + 1
        if quiet > _QUIET or count > _MOST_ROWS:
            return
        yield row


def _joined(found: list[Row]) -> list[Row]:
    """Rows that a narrow terminal wrapped: what does not begin with a bar and ends with one goes on.

    Blanks at the place of the cut are gone; the lines between the rows, of signs only, tell the width.
    """
    width = max((len(row.text) for row in found if row.text.startswith("+-")), default=0)
    whole: list[Row] = []
    for row in found:
        text, before = row.text, whole[-1] if whole else None
        goes_on = text.endswith(("|", "+")) and not text.lstrip().startswith(("|", "+"))
        if goes_on and before is not None and before.text.startswith(("|", "+")):
            whole[-1] = Row(text=before.text.ljust(width) + text, number=before.number)
        else:
            whole.append(row)
    return whole


def _table(block: list[Row], state: _State) -> None:
    state.part, state.device, state.when = "devices", None, None
    state.seen = set()
    for row in block:
        _line(row, state)
    state.cut |= _half(state)


def _half(state: _State) -> bool:
    """True where the line of a device was read and the line of its memory was not."""
    return state.device is not None and state.row == 1


def _line(row: Row, state: _State) -> None:
    text = row.text
    if "NVIDIA-SMI " in text:
        _head(row, state)
    elif nvml.ctime(text) and "|" not in text:
        nvml.observed_at(state.gauges.sheet, nvml.ctime(text) or "")
        state.when = nvml.milliseconds(text)
    elif "MIG devices:" in text:
        state.part, state.mig = "slices", True
    elif "Processes:" in text:
        state.part = "processes"
        for index in state.seen:
            device = state.gauges.devices[(str(index),)]
            device.listed = bool(device.listed)
    elif "MIG M." in text or "Bus-Id" in text:
        _titles(text, state)
    elif state.part == "devices":
        _device(row, state)
    elif state.part == "slices":
        _slice(row, state)
    else:
        _process(row, state)


def _head(row: Row, state: _State) -> None:
    match = _HEAD.search(row.text)
    if match is None:
        return
    state.versions.append(match[1])
    place = row.pointer(state.gauges.sheet.sha256)
    if not state.gauges.sheet.facts:
        nvml.driver(state.gauges.sheet, place, match[2] or "", match[3] or "")
    elif match[2]:
        state.gauges.sheet.fact(place, "driver", match[2])


def _titles(text: str, state: _State) -> None:
    title = _TITLE.search(text)
    if title is not None:
        state.wddm = title[1] != "Persistence-M"


def _device(row: Row, state: _State) -> None:
    cells = _CELLS.search(row.text)
    if cells is None:
        return
    first, bus = _DEVICE.fullmatch(cells[1]), _BUS.fullmatch(cells[2])
    if first is not None and bus is not None:
        _began(row, state, first, bus, cells[3])
    elif state.device is not None and state.row == 1:
        _memory(row, state, state.device, cells[2])
        state.row = 2
    elif state.device is not None and state.row == 2 and "=" not in row.text:
        state.device.tell("mig_mode", nvml.mode(cells[3]), row.pointer(state.gauges.sheet.sha256))
        state.row = 3


def _began(row: Row, state: _State, first: re.Match[str], bus: re.Match[str], errors: str) -> None:
    place = row.pointer(state.gauges.sheet.sha256)
    index = int(first[1])
    device = state.gauges.device((str(index),), index)
    device.tell("name", first[2].strip(), place)
    device.tell("bus_id", bus[1], place)
    if state.wddm:
        device.tell("driver_model", first[3], place)
    else:
        device.tell("persistence", nvml.mode(first[3]), place)
    device.tell("ecc", nvml.mode(errors), place)
    state.device, state.row = device, 1
    state.seen.add(index)
    if first[2].strip().endswith("..."):
        state.gauges.sheet.warn(
            tell(
                "device_name_cut: the column of names is narrow; a name is cut and its last word "
                "left out"
            )
        )


def _memory(row: Row, state: _State, device: Device, cell: str) -> None:
    place = row.pointer(state.gauges.sheet.sha256)
    match = _MEMORY.fullmatch(cell)
    used, total = (match[1], match[2]) if match else (cell, cell)
    state.gauges.sample(device, "used", place, nvml.mib(used))
    state.gauges.sample(device, "total", place, nvml.mib(total))
    state.gauges.time((str(device.index),), state.when)


def _slice(row: Row, state: _State) -> None:
    """The first pair of figures is memory; the second, on the next line, is BAR1 and is left out."""
    match = _SLICE.search(row.text)
    if match is None:
        return
    gpu, gi, ci, dev = (int(match[place]) for place in range(1, 5))
    key = (str(gpu), f"mig-{gi}-{ci}-{dev}")
    device = state.gauges.device(key, gpu, mig={"gi": gi, "ci": ci, "dev": dev})
    device.slice_of = (str(gpu),)
    place = row.pointer(state.gauges.sheet.sha256)
    state.gauges.sample(device, "used", place, nvml.mib(match[5]))
    state.gauges.sample(device, "total", place, nvml.mib(match[6]))


def _process(row: Row, state: _State) -> None:
    match = _PROCESS.search(row.text)
    if match is None:
        return
    gpu, gi, ci, pid, sort, name, memory = match.groups()
    device = state.gauges.device((gpu,), int(gpu))
    marks: dict[str, object] = {"pid": int(pid), "process": name, "type": sort}
    if gi and gi.isdecimal() and ci and ci.isdecimal():
        marks["mig"] = {"gi": int(gi), "ci": int(ci)}
    place = row.pointer(state.gauges.sheet.sha256)
    state.gauges.process(device, (pid, gi or "", ci or "", sort), place, nvml.mib(memory), **marks)


def accepts(content: bytes, name: str) -> int:
    """92 for a file of tables, 50 for a table inside a log."""
    place = content.find(_HEADING)
    if place < 0 or b"|" not in content[max(0, place - 40) : place]:
        return 0
    return 92 if mostly(content, _OWN) else 50


MEMBER = Importer(
    name="nvidia_smi_table",
    title="Table of nvidia-smi",
    accepts=accepts,
    read=read,
    anchors=_ANCHORS,
    log=True,
)
