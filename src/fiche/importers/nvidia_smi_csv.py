"""`nvidia-smi --query-gpu` and `--query-compute-apps` as CSV (evidence_formats 7): read by its header.

The header carries the unit, `memory.used [MiB]`, with `nounits` as well; without a header nobody knows
which figure is which. With `-l` it is a series. `utilization.memory` is activity, no fill.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fiche.importers import _nvml_meaning as nvml
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_rows import Row, rows
from fiche.importers._device_tracks import NVML, Device, Key
from fiche.importers._refusal import refused
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed, Reading
from fiche.kernel.rounding import unavailable
from fiche.kernel.said import tell

_LOOKED_AT = 262_144
_FIELDS = {
    "memory.used": "used",
    "memory.total": "total",
    "memory.free": "free",
    "memory.reserved": "reserved",
}
_PROCESS = ("used_gpu_memory", "used_memory")
_IDENTITY = ("index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id")
_DETAILS = {
    "name": "name",
    "gpu_name": "name",
    "persistence_mode": "persistence",
    "mig.mode.current": "mig_mode",
    "ecc.mode.current": "ecc",
    "driver_model.current": "driver_model",
    "uuid": "uuid",
    "gpu_uuid": "uuid",
    "pci.bus_id": "bus_id",
    "gpu_bus_id": "bus_id",
}
_NAME = lazy(r"([a-z][a-z0-9_.]{1,60})(?:\s{0,4}\[([^\]]{1,12})\])?")
_BARE_MEMORY = lazy(r"[0-9]{1,7} MiB|\[N/A\]|\[Not Supported\]")
_BARE_NAME = lazy(r"(?i)(?:NVIDIA|GeForce|Tesla|Quadro)\b.{1,60}|GPU-[0-9a-f]{8}-[0-9a-f-]{1,40}")
_BARE_LINES = 20
_LAST_NUMBER = lazy(r"([0-9]{1,10})$")


@dataclass(slots=True)
class _Columns:
    """The header in force: names and units of the columns."""

    names: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def of_processes(self) -> bool:
        return any(name in _PROCESS for name in self.names)


@dataclass(slots=True)
class _State:
    gauges: Gauges
    columns: _Columns | None = None
    shapes: dict[str, None] = field(default_factory=dict)
    no_unit: bool = False
    short: int = 0
    nameless: bool = False


def read(content: bytes, sha256: str) -> Reading:
    """Every figure of memory under its header, one reading a device or the largest of a series.

    Raises:
        Refused: there is no header that names a figure of memory (F440), or no row under it (F424).
    """
    state = _State(Gauges(Sheet(sha256), NVML))
    for row in rows(content):
        _line(row, state)
    sheet = state.gauges.sheet
    if not state.shapes:
        raise _no_header(content, sha256)
    if state.no_unit:
        raise _no_unit(sha256)
    if state.gauges.empty:
        raise nothing_found(content, sha256, "rows under the header of nvidia-smi's CSV")
    state.gauges.close()
    nvml.device_unavailable(state.gauges)
    if state.nameless:
        sheet.warn(
            tell(
                "device_not_named: no column tells the devices apart; rows of several may be mixed, "
                "and the largest of all rows is listed"
            )
        )
    if state.short:
        sheet.warn(
            tell(
                "truncated: {short} rows have fewer fields than the header and are left out",
                short=state.short,
            )
        )
    return sheet.reading("nvidia_smi_csv", "+".join(state.shapes), nvml.BACKEND)


def _no_header(content: bytes, sha256: str) -> Exception:
    if not _bare(content[:_LOOKED_AT]):
        return nothing_found(content, sha256, "a header of nvidia-smi's CSV that names memory")
    hint = "run nvidia-smi again without noheader; nounits may stay, the header then tells the unit"
    return refused(
        "F440", "the CSV has no header: nobody knows which figure is which", sha256, hint=hint
    )


def _no_unit(sha256: str) -> Exception:
    hint = "keep the header as nvidia-smi prints it, `memory.used [MiB]`"
    message = "neither the header nor the rows tell the unit of the figures of memory"
    return refused("F440", message, sha256, hint=hint)


def _line(row: Row, state: _State) -> None:
    text = _within(row.text)
    header = _header(text)
    if header is not None:
        state.columns = header
        state.shapes["query-compute-apps" if header.of_processes else "query-gpu"] = None
    elif state.columns is not None and text.strip():
        cells = _cells(text, state.columns)
        if cells is not None:
            _row(cells, row.pointer(state.gauges.sheet.sha256), state)
        elif "," in text:
            state.short += 1


_OPENED = lazy(
    r"[\[{\s]{0,20}(?:\\{0,8}\"[\w. -]{1,60}\\{0,8}\"\s{0,4}:\s{0,4}(?:\\{0,8}\"(?=[\[{]))?[\[{]?){1,4}"
    r"\\{0,8}\""
)
_CLOSED = lazy(r"\\{0,8}\"(?:[}\]]|, ?\\{0,8}\"[\w. -]{1,60}\\{0,8}\":)")


def _within(text: str) -> str:
    """The part of a row that is the table's own, where JSON or docker keeps the output in a string."""
    opened = _OPENED.match(text)
    if opened is not None:
        text = text[opened.end() :]
    closed = _CLOSED.match(text.lstrip())
    return "" if closed is not None else text


def _header(text: str) -> _Columns | None:
    if "memory" not in text:
        return None
    parts = [_NAME.fullmatch(part.strip().strip('"')) for part in text.split(",")]
    if parts and parts[0] is None:  # what a viewer put in front of the first name
        parts[0] = (
            _NAME.fullmatch(text.split(",")[0].split()[-1]) if text.split(",")[0].split() else None
        )
    named = [part for part in parts if part is not None]
    if len(named) != len(parts) or not any(
        part[1] in _FIELDS or part[1] in _PROCESS for part in named
    ):
        return None
    return _Columns(tuple(part[1] for part in named), tuple(part[2] or "" for part in named))


def _cells(text: str, columns: _Columns) -> dict[str, tuple[str, str]] | None:
    """Cells by name, with the unit of the header; commas in the name of a process stay in it."""
    found = [cell.strip().strip('"') for cell in text.split(",")]
    surplus = len(found) - len(columns.names)
    if surplus > 0 and "process_name" in columns.names:
        at = columns.names.index("process_name")
        found[at : at + surplus + 1] = [", ".join(found[at : at + surplus + 1])]
    if len(found) != len(columns.names):
        return None
    return {
        name: (cell, unit)
        for name, cell, unit in zip(columns.names, found, columns.units, strict=True)
    }


def _row(cells: dict[str, tuple[str, str]], place: Pointer, state: _State) -> None:
    gauges, words = state.gauges, {name: cell for name, (cell, _) in cells.items()}
    key, device = _device(words, gauges)
    state.nameless |= not key
    when = words.get("timestamp", "")
    if when:
        nvml.observed_at(gauges.sheet, when)
    gauges.time(key, nvml.milliseconds(when))
    for name, word in _DETAILS.items():
        if name in words:
            told = (
                nvml.mode(words[name])
                if word in ("ecc", "mig_mode", "persistence")
                else words[name]
            )
            device.tell(word, told, place)
    if "driver_version" in words:
        nvml.driver(gauges.sheet, place, words["driver_version"])
    for name, what in _FIELDS.items():
        if name in cells:
            gauges.sample(device, what, place, _figure(*cells[name], state))
    for name in _PROCESS:
        if name in cells:
            _process(device, words, place, _figure(*cells[name], state), gauges)
    if "utilization.memory" in words:
        nvml.activity(gauges.sheet, place, "utilization.memory [%]")


def _device(words: dict[str, str], gauges: Gauges) -> tuple[Key, Device]:
    """The device by whatever the row tells of it: index first, since that is what others use too."""
    told = [(name, words[name]) for name in _IDENTITY if words.get(name)]
    if not told:
        return (), gauges.device(())
    name, value = told[0]
    if name == "index":
        number = _LAST_NUMBER.search(value)
        return (value,), gauges.device((value,), int(number[1]) if number else None)
    label = "bus_id" if "bus" in name else "uuid"
    return (value,), gauges.device((value,), None, **{label: value[:80]})


def _figure(cell: str, unit: str, state: _State) -> Printed:
    """A figure with the unit of its header or its own; a bare number without either is no figure."""
    if nvml.is_figure(cell) and cell.isdecimal() and unit != "MiB":
        state.no_unit = True
        return unavailable(cell)
    return nvml.mib(cell)


def _process(
    device: Device, words: dict[str, str], place: Pointer, value: Printed, gauges: Gauges
) -> None:
    pid = _LAST_NUMBER.search(words.get("pid", ""))
    marks: dict[str, object] = {"pid": int(pid[1])} if pid else {}
    name = words.get("process_name") or words.get("name", "")
    if name:
        marks["process"] = name[:200]
    marks["type"] = "C"
    gauges.process(device, (str(marks.get("pid")), name[:200]), place, value, **marks)


def _bare(head: bytes) -> bool:
    """Rows of as many cells each, all with a figure in MiB, or with the name of a GPU beside numbers."""
    lines = [row.text.split(",") for row in rows(head[:4_096]) if row.text.strip()][:_BARE_LINES]
    whole = lines[:-1] if len(lines) > 1 and len(head) > 4_096 else lines
    return len({len(cells) for cells in whole}) == 1 and all(_bare_row(cells) for cells in whole)


def _bare_row(cells: list[str]) -> bool:
    words = [cell.strip() for cell in cells]
    named = any(_BARE_NAME.fullmatch(word) for word in words)
    numbers = any(word.isdecimal() for word in words)
    return any(_BARE_MEMORY.fullmatch(word) for word in words) or (named and numbers)


def accepts(content: bytes, name: str) -> int:
    """92 for a header that names memory, 45 for rows that can only be such a CSV without its header."""
    head = content[:_LOOKED_AT]
    if b"memory" in head and any(_header(_within(row.text)) is not None for row in rows(head)):
        return 92
    return 45 if _bare(head) else 0


MEMBER = Importer(
    name="nvidia_smi_csv",
    title="CSV of nvidia-smi --query-gpu and --query-compute-apps",
    accepts=accepts,
    read=read,
)
