"""`amd-smi metric`, `static`, `monitor`, `process` with `--json` (evidence_formats 7): a list, or `gpu_data`.

MB is 2**20, a whole number. A watched output lists a device several times: that is a series.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from fiche.importers import _amd_meaning as amd
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_tracks import ROCM, Device
from fiche.importers._documents import Document, documents
from fiche.importers._json import Path, shape_wrong, whole
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed, Reading
from fiche.kernel.rounding import unavailable
from fiche.kernel.said import tell

# (path below a device, what it is): metric, static, monitor.
_FIGURES = (
    (("mem_usage", "total_vram"), "total"),
    (("mem_usage", "used_vram"), "used"),
    (("mem_usage", "free_vram"), "free"),
    (("vram", "size"), "total"),
    (("vram_total",), "total"),
    (("vram_used",), "used"),
    (("vram_free",), "free"),
)
_DETAILS = (
    (("asic", "market_name"), "name"),
    (("board", "product_name"), "name"),
    (("market_name",), "name"),
    (("bus", "bdf"), "bus_id"),
    (("bdf",), "bus_id"),
    (("uuid",), "uuid"),
)
_INDEX = lazy(rb"\"gpu\"\s{0,8}:\s{0,8}\"?[0-9]")
_KEYS = (
    b'"mem_usage"',
    b'"total_vram"',
    b'"used_vram"',
    b'"vram_used"',
    b'"gpu_data"',
    b'"vram_mem"',
)


def read(content: bytes, sha256: str) -> Reading:
    """Total, used and free memory of each device, and of processes where they are listed.

    Raises:
        Refused: broken JSON (F428), no object of a device (F429), or no figure of memory (F424).
    """
    gauges = Gauges(Sheet(sha256), ROCM)
    sheet = gauges.sheet
    found = documents(content, sha256, "the output of amd-smi")
    count = 0
    for document in found.all:
        for path, told in _devices(document.value):
            count += 1
            _device(document, path, told, gauges)
    if not count:
        raise shape_wrong((), "there is no list of objects with a member 'gpu'", sha256)
    if gauges.empty:
        raise nothing_found(content, sha256, "memory in the JSON of amd-smi (metric --mem-usage)")
    found.notes(sheet)
    gauges.close()
    amd.unmeasured(gauges)
    sheet.warn(tell("unit_label_is_binary: amd-smi says MB and means 2**20 bytes"))
    return sheet.reading("amd_smi_json", "json", amd.BACKEND)


def _devices(value: object) -> Iterator[tuple[Path, dict[str, object]]]:
    """Objects of devices: in a list, in `gpu_data`, or in a list of such."""
    waiting: list[tuple[Path, object, int]] = [((), value, 0)]
    while waiting:
        path, item, depth = waiting.pop()
        if isinstance(item, list) and depth < 3:
            waiting.extend(
                ((*path, place), item[place], depth + 1) for place in reversed(range(len(item)))
            )
        elif isinstance(item, dict) and whole(item.get("gpu")) is not None:
            yield path, item
        elif isinstance(item, dict) and depth < 3:
            waiting.extend(
                ((*path, key), item[key], depth + 1)
                for key in ("gpu_data", "gpu_monitor", "gpus")
                if key in item
            )


def _at(value: object, path: Path) -> object:
    for key in path:
        value = value.get(str(key)) if isinstance(value, dict) else None
    return value


def _device(document: Document, path: Path, told: dict[str, object], gauges: Gauges) -> None:
    index, sha256 = whole(told.get("gpu")), gauges.sheet.sha256
    device = gauges.device((str(index),), index)
    for below, what in _FIGURES:
        value = _at(told, below)
        if value is not None:
            place = document.place(sha256, (*path, *below), _shown(value))
            gauges.sample(device, what, place, _figure(value))
    for below, word in _DETAILS:
        value = _at(told, below)
        if isinstance(value, str):
            device.tell(word, value[:200], document.place(sha256, (*path, *below), value))
    version = _at(told, ("driver", "version"))
    if isinstance(version, str) and version[:1].isdecimal():
        gauges.sheet.fact(
            document.place(sha256, (*path, "driver", "version"), version), "driver", version
        )
    moment = whole(told.get("timestamp"))
    gauges.time((str(index),), None if moment is None else moment * 1000)
    _processes(document, path, told, device, gauges)
    _aside(document, path, told, gauges)


def _figure(value: object) -> Printed:
    """`{"value": 196592, "unit": "MB"}`, or the older `"196592 MB"`; a number without a unit is none."""
    if isinstance(value, dict):
        number, unit = value.get("value"), value.get("unit")
        if isinstance(number, int | Decimal) and not isinstance(number, bool):
            return amd.amount(f"{number} {unit}")
        return unavailable(str(number)[:60])
    return amd.amount(str(value)) if isinstance(value, str) else unavailable(str(value)[:60])


def _shown(value: object) -> object:
    return f"{value.get('value')} {value.get('unit')}" if isinstance(value, dict) else value


def _processes(
    document: Document, path: Path, told: dict[str, object], device: Device, gauges: Gauges
) -> None:
    """`process_list`: each with `process_info`, whose `memory_usage.vram_mem` is what it holds."""
    listed = told.get("process_list")
    if not isinstance(listed, list):
        return
    device.listed = bool(device.listed)
    for place, item in enumerate(listed):
        one = item.get("process_info") if isinstance(item, dict) else None
        if not isinstance(one, dict):
            continue
        pid, name = whole(one.get("pid")), str(one.get("name", ""))[:200]
        value = _at(one, ("memory_usage", "vram_mem"))
        if pid is None or value is None:
            continue
        below = (*path, "process_list", place, "process_info", "memory_usage", "vram_mem")
        pointer = document.place(gauges.sheet.sha256, below, _shown(value))
        gauges.process(device, (str(pid),), pointer, _figure(value), pid=pid, process=name)


def _aside(document: Document, path: Path, told: dict[str, object], gauges: Gauges) -> None:
    for key in ("umc_activity",):
        value = _at(told, ("usage", key))
        if value is not None:
            place = document.place(gauges.sheet.sha256, (*path, "usage", key), _shown(value))
            amd.aside(gauges.sheet, place, "memory Activity (umc_activity)", "%")


def accepts(content: bytes, name: str) -> int:
    """93 for a member `gpu` beside memory as amd-smi names it."""
    head = content[:4_194_304]
    if b'"gpu"' not in head or b"{" not in head[:65_536]:
        return 0
    told = any(key in head for key in _KEYS) or b'"market_name"' in head
    return 93 if told and _INDEX.search(head) else 0


MEMBER = Importer(
    name="amd_smi_json",
    title="JSON of amd-smi",
    accepts=accepts,
    read=read,
)
