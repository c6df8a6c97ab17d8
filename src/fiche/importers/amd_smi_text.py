"""`amd-smi` as text (evidence_formats 7): `metric` and `static` blocks, `monitor` rows, the default table.

MB is 2**20; GB of newer releases is 2**30 with one decimal. UMC and MEM in percent are activity.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fiche.importers import _amd_meaning as amd
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_rows import Row, rows
from fiche.importers._device_tracks import ROCM, Device
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_GPU = lazy(r"(?:^|\s)GPU: ([0-9]{1,4})\s{0,8}$")
_PAIR = lazy(r"(?:^|\s)([A-Z][A-Z_0-9]{2,40}):(?:\s{1,8}(\S.{0,200}))?$")
_METRIC = {"TOTAL_VRAM": "total", "USED_VRAM": "used", "FREE_VRAM": "free"}
_HEADER = lazy(r"^\s{0,40}(?:TIMESTAMP\s{1,20})?GPU\s{1,20}\S.{0,400}\bVRAM_(?:USED|USAGE|TOTAL)")
_CELL = lazy(r"\S{1,80}(?: (?:W|°C|MHz|[KMGT]?B|%|Mb/s|mV|ns)(?= |$))?")
_TABLE_NAME = lazy(r"\|\s{0,8}([0-9a-fA-F]{4}:[0-9a-fA-F:.]{7,9})\s{1,60}(\S.{0,60}?)\s{0,20}\|")
_TABLE_GPU = lazy(
    r"\|\s{0,8}([0-9]{1,4})\s{1,12}(?:[0-9]{1,4}|N/A)\s{1,12}(?:[0-9]{1,4}|N/A)\s{1,40}\S{1,30}\s{0,8}\|"
    r".{0,60}?\s([0-9.]{1,12}|N/A)\s{0,2}/\s{0,2}([0-9.]{1,12}|N/A)\s{1,2}([KMGT]?B)\s{0,8}\|"
)
_TABLE_PROCESS = lazy(
    r"\|\s{0,8}([0-9]{1,4})\s{1,20}([0-9]{1,10})\s{1,8}(\S.{0,80}?)\s{1,60}([0-9.]{1,12} [KMGT]?B|N/A)"
    r"\s{1,12}([0-9.]{1,12} [KMGT]?B|N/A)\s{1,12}([0-9.]{1,12} [KMGT]?B|N/A)\s{1,12}\S{1,12}.{0,4}\s{0,8}\|"
)
_DRIVER = lazy(r"amdgpu version:\s{1,8}([0-9][\w.+-]{0,40})")
_WORDS = (b"USED_VRAM:", b"TOTAL_VRAM:", b"VRAM_USED", b"VRAM_USAGE", b"VRAM_MEM", b"MARKET_NAME:")


@dataclass(slots=True)
class _State:
    gauges: Gauges
    device: Device | None = None
    block: str = ""
    columns: list[str] = field(default_factory=list)
    name: tuple[str, str, Pointer] | None = None
    process: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, None] = field(default_factory=dict)


def read(content: bytes, sha256: str) -> Reading:
    """Total, used and free memory of each device, and of processes where they are listed.

    Raises:
        Refused: no figure of memory is in it (F424).
    """
    state = _State(Gauges(Sheet(sha256), ROCM))
    for row in rows(content):
        _line(row, state)
    sheet = state.gauges.sheet
    if state.gauges.empty:
        raise nothing_found(content, sha256, "memory in the output of amd-smi")
    state.gauges.close()
    amd.unmeasured(state.gauges)
    sheet.warn(tell("unit_label_is_binary: amd-smi says MB and GB and means 2**20 and 2**30 bytes"))
    return sheet.reading("amd_smi_text", "+".join(state.shapes), amd.BACKEND)


def _line(row: Row, state: _State) -> None:
    text = row.text
    if "|" in text:
        _table(row, state)
    elif (gpu := _GPU.search(text)) is not None:
        state.device = state.gauges.device((gpu[1],), int(gpu[1]))
        state.block, state.columns, state.process = "", [], {}
    elif _HEADER.search(text):
        state.columns = text.split()
    elif state.columns and text.strip():
        _monitor(row, state)
    elif (pair := _PAIR.search(text)) is not None and state.device is not None:
        _pair(row, pair[1], (pair[2] or "").strip(), state, state.device)


def _pair(row: Row, key: str, value: str, state: _State, device: Device) -> None:
    place = row.pointer(state.gauges.sheet.sha256)
    if not value:
        state.block = key
    elif key in _METRIC:
        state.shapes["metric"] = None
        state.gauges.sample(device, _METRIC[key], place, amd.amount(value))
    elif state.block == "VRAM" and key == "SIZE":
        state.shapes["static"] = None
        state.gauges.sample(device, "total", place, amd.amount(value))
    elif key == "MARKET_NAME":
        device.tell("name", value, place)
    elif key == "UUID":
        device.tell("uuid", value, place)
    elif key == "BDF":
        device.tell("bus_id", value, place)
    elif state.block == "DRIVER" and key == "VERSION":
        state.gauges.sheet.fact(place, "driver", value)
    elif key == "UMC_ACTIVITY":
        amd.aside(state.gauges.sheet, place, "memory Activity (UMC_ACTIVITY)", "%")
    elif key in ("NAME", "PID"):
        state.process[key] = value
    elif key in ("VRAM_MEM", "VRAM_MEMORY"):
        _process(state, device, place, value)


def _process(state: _State, device: Device, place: Pointer, value: str) -> None:
    pid = state.process.get("PID", "")
    if pid.isdecimal() and len(pid) <= 10:
        state.shapes["process"] = None
        state.gauges.process(
            device,
            (pid,),
            place,
            amd.amount(value),
            pid=int(pid),
            process=state.process.get("NAME", "")[:200],
        )
    state.process = {}


def _monitor(row: Row, state: _State) -> None:
    """A row of `monitor`, its cells counted from the left: each has at most one blank, before its unit."""
    cells = _CELL.findall(row.text)
    if len(cells) != len(state.columns):
        if not row.text[:40].strip()[:1].isdecimal():
            state.columns = []
        return
    told = dict(zip(state.columns, cells, strict=True))
    if not told["GPU"].isdecimal() or len(told["GPU"]) > 4:
        return
    gauges, place = state.gauges, row.pointer(state.gauges.sheet.sha256)
    device = gauges.device((told["GPU"],), int(told["GPU"]))
    state.shapes["monitor"] = None
    for column, what in (("VRAM_USED", "used"), ("VRAM_TOTAL", "total"), ("VRAM_FREE", "free")):
        if column in told:
            gauges.sample(device, what, place, amd.amount(told[column]))
    if "VRAM_USAGE" in told:
        both, _, unit = told["VRAM_USAGE"].partition(" ")
        used, _, total = both.partition("/")
        gauges.sample(device, "used", place, amd.amount(f"{used} {unit}"))
        gauges.sample(device, "total", place, amd.amount(f"{total} {unit}"))
    if told.get("TIMESTAMP", "").isdecimal():
        gauges.time((told["GPU"],), int(told["TIMESTAMP"][:12]) * 1000)


def _table(row: Row, state: _State) -> None:
    """The default view: a line with bus id and name, a line with index and memory, then processes."""
    text, gauges = row.text, state.gauges
    place = row.pointer(gauges.sheet.sha256)
    if (driver := _DRIVER.search(text)) is not None:
        gauges.sheet.fact(place, "driver", driver[1])
    elif (name := _TABLE_NAME.search(text)) is not None:
        state.name = (name[1], name[2], place)
    elif (gpu := _TABLE_GPU.search(text)) is not None:
        device = gauges.device((gpu[1],), int(gpu[1]))
        state.shapes["table"] = None
        if state.name is not None:
            device.tell("bus_id", state.name[0], state.name[2])
            device.tell("name", state.name[1], state.name[2])
            state.name = None
        gauges.sample(device, "used", place, amd.amount(f"{gpu[2]} {gpu[4]}"))
        gauges.sample(device, "total", place, amd.amount(f"{gpu[3]} {gpu[4]}"))
    elif "Processes:" in text:
        for device in gauges.devices.values():
            device.listed = bool(device.listed)
    elif (process := _TABLE_PROCESS.search(text)) is not None:
        device = gauges.device((process[1],), int(process[1]))
        gauges.process(
            device,
            (process[2],),
            place,
            amd.amount(process[5]),
            pid=int(process[2]),
            process=process[3],
        )


def accepts(content: bytes, name: str) -> int:
    """90 for blocks, rows or the table of amd-smi."""
    head = content[:4_194_304]
    if not any(word in head for word in _WORDS):
        return 90 if b"| AMD-SMI " in head and b"Mem-Usage" in head else 0
    if b"GPU: " in head or (b"AMD-SMI" in head and b"Mem-Usage" in head):
        return 90
    return (
        90 if re.search(rb"(?m)^.{0,60}GPU {1,20}\S.{0,300}VRAM_(?:USED|USAGE|TOTAL)", head) else 0
    )


MEMBER = Importer(
    name="amd_smi_text",
    title="Text of amd-smi",
    accepts=accepts,
    read=read,
)
