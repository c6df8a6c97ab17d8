"""`nvidia-smi -q` as text, whole or one section of it (evidence_formats 7): read by block.

Three blocks print Total, Used and Free: only `FB Memory Usage` is the device's memory; BAR1 and the
protected memory of Conf Compute are not. A device is named by its bus id, not by an index.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fiche.importers import _nvml_meaning as nvml
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_rows import Row, places, rows
from fiche.importers._device_tracks import NVML, Device, Key
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.record import replace

_GPU = lazy(r"(?:^|\s)GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])\s{0,40}$")
_TITLE = lazy(r"(.{0,300}?)={0,60}\s{0,4}NVSMI LOG")
_PAIR = lazy(r"(\s{0,60})(\S.{0,80}?)\s{0,60}:(?:\s{1,4}(.{0,300}))?$")
_HEADING = lazy(r"(\s{0,60})([A-Z][\w. /()-]{2,60})$")
_MEMORY = {"Total": "total", "Reserved": "reserved", "Used": "used", "Free": "free"}
_BLOCK = "FB Memory Usage"
_PROCESS_WORDS = ("GPU instance ID", "Compute instance ID", "Process ID", "Type", "Name")
# Keys of the device itself: where one stands, the block of a MIG device has ended.
_OF_THE_GPU = frozenset(
    {
        "Accounting Mode",
        "Serial Number",
        "Product Name",
        "Compute Mode",
        "Fan Speed",
        "Display Mode",
    }
)
_MODES = frozenset({"ecc", "mig_mode", "persistence"})
_DETAILS = {
    ("", "Product Name"): "name",
    ("", "Persistence Mode"): "persistence",
    ("", "GPU UUID"): "uuid",
    ("MIG Mode", "Current"): "mig_mode",
    ("ECC Mode", "Current"): "ecc",
    ("Ecc Mode", "Current"): "ecc",
    ("Driver Model", "Current"): "driver_model",
}


@dataclass(slots=True)
class _State:
    """Where the reading stands in a report."""

    gauges: Gauges
    bus: str = ""
    gpu: Device | None = None
    block: str = ""
    slice: dict[str, str] | None = None
    slice_indent: int = 0
    process: dict[str, str] = field(default_factory=dict)
    when: int | None = None
    attached: int | None = None
    mig: bool = False
    prefix: re.Pattern[str] | None = None


def read(content: bytes, sha256: str) -> Reading:
    """Device memory, processes and modes of every report in a file.

    Raises:
        Refused: it holds no block of device memory and no process with memory (F424).
    """
    state = _State(Gauges(Sheet(sha256), NVML))
    for row in rows(content, next(places(content, b"NVSMI LOG"), 0)):
        _line(row, state)
    sheet = state.gauges.sheet
    if state.gauges.empty:
        raise nothing_found(content, sha256, "a block 'FB Memory Usage' of nvidia-smi -q")
    state.gauges.number(state.attached)
    state.gauges.close()
    nvml.device_unavailable(state.gauges)
    if state.mig:
        sheet.warn(nvml.MIG)
    return sheet.reading("nvidia_smi_q", "q-text", nvml.BACKEND)


def _prefix(front: str) -> re.Pattern[str] | None:
    """What a container or a build server puts before each line: as before the title, digits apart."""
    parts = re.split(r"[0-9]{1,30}", front)
    return lazy("[0-9]{1,30}".join(map(re.escape, parts))) if front.strip() else None


def _line(row: Row, state: _State) -> None:
    title = _TITLE.match(row.text)
    if title is not None:
        state.gpu, state.block, state.slice = None, "", None
        state.prefix = _prefix(title[1])
    front = state.prefix.match(row.text) if state.prefix is not None else None
    if front is not None:
        row = replace(row, text=row.text[front.end() :])
    text = row.text
    gpu = _GPU.search(text)
    if gpu is not None:
        _began(gpu[1], state)
        return
    pair = _PAIR.fullmatch(text)
    if pair is not None and pair[3] is not None:
        _pair(row, len(pair[1]), pair[2], pair[3].strip(), state)
        return
    heading = _HEADING.fullmatch(text.rstrip(" :"))
    if heading is not None:
        _heading(len(heading[1]), heading[2], state)


def _began(bus: str, state: _State) -> None:
    state.bus, state.block, state.slice, state.process = bus, "", None, {}
    state.gpu = state.gauges.device((bus,), None, bus_id=bus)


def _heading(indent: int, words: str, state: _State) -> None:
    if words in ("MIG Device", "MIG Devices"):
        state.slice, state.slice_indent, state.mig = {}, indent, True
    elif state.slice is not None and indent <= state.slice_indent and state.slice_indent > 0:
        state.slice = None
    state.block = words
    if words == "Processes" and state.gpu is not None:
        state.gpu.listed = bool(state.gpu.listed)


def _pair(row: Row, indent: int, key: str, value: str, state: _State) -> None:
    sheet = state.gauges.sheet
    place = row.pointer(sheet.sha256)
    if state.gpu is None:
        _of_the_report(row, key, value, state)
        return
    if state.slice is not None and (key in _OF_THE_GPU or 0 < indent <= state.slice_indent):
        state.slice = None
    if key == "Processes" and state.slice is None:
        state.block = "Processes"
        state.gpu.listed = True if state.gpu.listed else value not in ("None", "") or False
    elif state.block == _BLOCK and key in _MEMORY:
        state.gauges.sample(_held_by(state), _MEMORY[key], place, nvml.mib(value))
        if key == "Used" and state.slice is None:
            state.gauges.time((state.bus,), state.when)
    elif state.slice is not None and key in ("Index", "GPU Instance ID", "Compute Instance ID"):
        state.slice[key] = value
    elif state.block == "Utilization" and key == "Memory":
        nvml.activity(sheet, place, "Utilization: Memory")
    elif key in _PROCESS_WORDS or key.startswith("Used GPU Memory"):
        _process(row, key, value, state)
    _detail(row, key, value, state)


def _of_the_report(row: Row, key: str, value: str, state: _State) -> None:
    sheet = state.gauges.sheet
    place = row.pointer(sheet.sha256)
    if key == "Timestamp":
        nvml.observed_at(sheet, value)
        state.when = nvml.milliseconds(value)
    elif key == "Attached GPUs":
        state.attached = int(value) if value.isdecimal() and len(value) < 5 else None
    elif key == "Driver Version":
        nvml.driver(sheet, place, value)
    elif key.startswith("CUDA") and "Version" in key:
        nvml.driver(sheet, place, "", value)


def _held_by(state: _State) -> Device:
    """The device, or the MIG slice whose block this is."""
    assert state.gpu is not None
    if state.slice is None:
        return state.gpu
    told = [state.slice.get(k, "") for k in ("GPU Instance ID", "Compute Instance ID", "Index")]
    gi, ci, dev = (int(word) if word.isdecimal() and len(word) < 10 else None for word in told)
    key: Key = (state.bus, "mig", *told)
    device = state.gauges.device(key, None, bus_id=state.bus, mig={"gi": gi, "ci": ci, "dev": dev})
    device.slice_of = (state.bus,)
    return device


def _detail(row: Row, key: str, value: str, state: _State) -> None:
    if state.gpu is None or state.slice is not None:
        return
    word = _DETAILS.get((state.block, key)) or _DETAILS.get(("", key))
    if word is None:
        return
    place = row.pointer(state.gauges.sheet.sha256)
    state.gpu.tell(word, nvml.mode(value) if word in _MODES else value, place)


def _process(row: Row, key: str, value: str, state: _State) -> None:
    """A process is told over several lines, its memory last."""
    if state.block != "Processes" or state.gpu is None:
        return
    if key.startswith("Used GPU Memory"):
        told = state.process
        pid = told.get("Process ID", "")
        if pid.isdecimal() and len(pid) <= 10:
            marks: dict[str, object] = {"pid": int(pid), "process": told.get("Name", "")[:200]}
            marks["type"] = told.get("Type", "")[:10]
            gi, ci = told.get("GPU instance ID", ""), told.get("Compute instance ID", "")
            if gi.isdecimal() and ci.isdecimal() and len(gi + ci) < 12:
                marks["mig"] = {"gi": int(gi), "ci": int(ci)}
            place = row.pointer(state.gauges.sheet.sha256)
            state.gauges.process(
                state.gpu, (pid, gi, ci, str(marks["type"])), place, nvml.mib(value), **marks
            )
        state.process = {}
    else:
        state.process[key] = value


def accepts(content: bytes, name: str) -> int:
    """92 for a report that begins a file, 50 for one inside a log or without its title."""
    place = content.find(b"NVSMI LOG")
    if place >= 0:
        return 92 if content.count(b"\n", 0, place) <= 5 else 50
    return 50 if b"    FB Memory Usage" in content and b"BAR1 Memory Usage" in content else 0


MEMBER = Importer(
    name="nvidia_smi_q",
    title="Report of nvidia-smi -q",
    accepts=accepts,
    read=read,
)
