"""Tables of `rocm-smi` (evidence_formats 7): `--showmeminfo` in bytes, as CSV too, concise view, processes.

The concise view prints VRAM% only: a rounded share without its whole, so no figure of memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fiche.importers import _amd_meaning as amd
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_rows import Row, places, rows
from fiche.importers._device_tracks import ROCM
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading

_TITLE = b"ROCm System Management Interface"
_CARD = lazy(r"\bGPU\[([0-9]{1,4})\]\s{0,8}:\s{1,8}(\S.{0,120}?):\s{1,8}(\S.{0,200})$")
_MEMORY = {"VRAM Total Memory (B)": "total", "VRAM Total Used Memory (B)": "used"}
_NAMES = ("Card Series", "Card series", "Device Name")
_DRIVER = lazy(r"\bDriver version:\s{1,8}(\S{1,40})")
_CONCISE = lazy(r"^\s{0,8}(?:GPU|Device)\s.{0,300}\bVRAM%")
_PROCESSES = lazy(r"\bPID\s{1,20}PROCESS NAME\s{1,80}GPU\(s\)\s{1,20}VRAM USED\b")
_PROCESS = lazy(
    r"^\s{0,8}([0-9]{1,10})\s{1,40}(\S.{0,80}?)\s{1,80}([0-9]{1,4}|UNKNOWN)\s{1,20}([0-9]{1,18}|UNKNOWN)"
    r"\s{1,20}([0-9]{1,18}|UNKNOWN)\s{1,20}(\S{1,20})\s{0,20}$"
)
_ANCHORS = (_TITLE, b"VRAM Total")


@dataclass(slots=True)
class _State:
    gauges: Gauges
    place_of_vram: int | None = None
    processes: bool = False
    columns: list[str] = field(default_factory=list)


def read(content: bytes, sha256: str) -> Reading:
    """Total and used memory of each card; what the concise view shows is named and not read as bytes.

    Raises:
        Refused: no figure and no share of memory is in it (F424).
    """
    state = _State(Gauges(Sheet(sha256), ROCM))
    start = min((next(places(content, word), 0) for word in _ANCHORS if word in content), default=0)
    for row in rows(content, start):
        _line(row, state)
    sheet = state.gauges.sheet
    if state.gauges.empty and not sheet.aside:
        raise nothing_found(content, sha256, "VRAM of a card in a table of rocm-smi")
    shape = "concise" if state.gauges.empty else "showmeminfo-vram"
    state.gauges.close()
    amd.unmeasured(state.gauges)
    return sheet.reading("rocm_smi_text", shape, amd.BACKEND)


def _line(row: Row, state: _State) -> None:
    text, sheet = row.text, state.gauges.sheet
    card = _CARD.search(text)
    if text.startswith("device,"):
        state.columns = text.split(",")
    elif state.columns and text.startswith("card"):
        _csv(text.split(","), row.pointer(sheet.sha256), state)
    elif card is not None:
        _card(int(card[1]), card[2].strip(), card[3].strip(), row.pointer(sheet.sha256), state)
    elif (told := _DRIVER.search(text)) is not None:
        sheet.fact(row.pointer(sheet.sha256), "driver", told[1])
    elif _CONCISE.search(text):
        columns = text.split()
        state.place_of_vram = len(columns) - columns.index("VRAM%")
    elif _PROCESSES.search(text):
        state.processes, state.place_of_vram = True, None
    elif "=====" in text:
        state.processes = state.processes and "Processes" in text
        if "End of ROCm SMI Log" in text:
            state.place_of_vram = None
    elif state.processes:
        _process(row, state)
    elif state.place_of_vram is not None:
        _concise(row, state)


def _card(index: int, key: str, value: str, place: Pointer, state: _State) -> None:
    device = state.gauges.device((f"card{index}",), index)
    if key in _MEMORY:
        state.gauges.sample(device, _MEMORY[key], place, amd.in_bytes(value))
    elif "emory" in key and key.endswith("%)"):
        amd.aside(state.gauges.sheet, place, f"GPU[{index}] {key}", value)
    elif key in _NAMES and not value.startswith("0x"):
        device.tell("name", value, place)
    elif key == "Unique ID":
        device.tell("uuid", value, place)


def _csv(cells: list[str], place: Pointer, state: _State) -> None:
    """A row of `--csv`: rocm-smi takes commas out of its cells."""
    index = cells[0][4:]
    if len(cells) == len(state.columns) and index.isdecimal() and len(index) <= 4:
        for key, value in zip(state.columns[1:], cells[1:], strict=True):
            _card(int(index), key.strip(), value.strip(), place, state)


def _concise(row: Row, state: _State) -> None:
    """Columns are counted from the right: names on the left hold blanks."""
    found, place = row.text.split(), row.pointer(state.gauges.sheet.sha256)
    at = len(found) - (state.place_of_vram or 0)
    if at > 0 and found[0].isdecimal() and found[at].endswith(("%", "N/A")):
        amd.aside(state.gauges.sheet, place, f"GPU[{found[0][:4]}] VRAM%", found[at])


def _process(row: Row, state: _State) -> None:
    match = _PROCESS.search(row.text)
    if match is None:
        return
    device = state.gauges.device(("processes",))
    marks: dict[str, object] = {"pid": int(match[1]), "process": match[2]}
    place = row.pointer(state.gauges.sheet.sha256)
    state.gauges.process(device, (match[1],), place, amd.in_bytes(match[4]), **marks)


def accepts(content: bytes, name: str) -> int:
    """92 for the title of rocm-smi's tables near the beginning, 50 further down or in a log."""
    place = content.find(_TITLE)
    if place >= 0 and b"=" in content[max(0, place - 8) : place]:
        return 92 if content.count(b"\n", 0, place) <= 8 else 50
    if content[:65_536].startswith(b"device,") and b"VRAM Total" in content[:65_536]:
        return 90
    place = content.find(b"VRAM Total Memory (B): ")
    return 85 if place >= 0 and b"GPU[" in content[max(0, place - 40) : place] else 0


MEMBER = Importer(
    name="rocm_smi_text",
    title="Tables of rocm-smi",
    accepts=accepts,
    read=read,
)
