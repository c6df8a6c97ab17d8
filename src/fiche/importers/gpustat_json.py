"""`gpustat --json` 1.1 (wookayin/gpustat `core.py`): memory by NVML's first version, floored MiB.

`memory.used` holds the driver's reserve, so it exceeds what nvidia-smi shows by some hundred MiB.
"""

from __future__ import annotations

from fiche.importers import _nvml_meaning as nvml
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_tracks import NVML, Device
from fiche.importers._documents import Document, documents
from fiche.importers._figures import MIB, floored
from fiche.importers._json import Path, shape_wrong, whole
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Printed, Reading
from fiche.kernel.rounding import unavailable
from fiche.kernel.said import tell

_FIGURES = (("memory.used", "used"), ("memory.total", "total"))
_DETAILS = (("name", "name"), ("uuid", "uuid"))


def read(content: bytes, sha256: str) -> Reading:
    """Total and used memory of each device, and what each process holds.

    Raises:
        Refused: broken JSON (F428), no list `gpus` (F429), or no figure of memory (F424).
    """
    gauges = Gauges(Sheet(sha256), NVML)
    found = documents(content, sha256, "the output of gpustat")
    for document in found.all:
        _document(document, gauges)
    sheet = gauges.sheet
    if gauges.empty:
        raise nothing_found(content, sha256, "memory of a device in the JSON of gpustat")
    found.notes(sheet)
    gauges.close()
    nvml.device_unavailable(gauges)
    sheet.warn(
        tell(
            "used_includes_reserve: gpustat asks NVML's first version, which counts the driver's "
            "own reserve as used memory"
        )
    )
    return sheet.reading("gpustat_json", "gpustat", nvml.BACKEND)


def _document(document: Document, gauges: Gauges) -> None:
    value, sheet = document.value, gauges.sheet
    gpus = value.get("gpus") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(gpus, list):
        raise shape_wrong(("gpus",), "there is no list 'gpus'", sheet.sha256)
    time = value.get("query_time")
    if isinstance(time, str):
        nvml.observed_at(sheet, time)
    version = value.get("driver_version")
    if isinstance(version, str) and version[:1].isdecimal():
        sheet.fact(document.place(sheet.sha256, ("driver_version",), version), "driver", version)
    for place, told in enumerate(gpus):
        index = whole(told.get("index")) if isinstance(told, dict) else None
        if index is None:
            raise shape_wrong(("gpus", place), "a device has no index", sheet.sha256)
        device = gauges.device((str(index),), index)
        _device(document, ("gpus", place), told, device, gauges)
        gauges.time((str(index),), nvml.milliseconds(time) if isinstance(time, str) else None)


def _device(
    document: Document, path: Path, told: dict[str, object], device: Device, gauges: Gauges
) -> None:
    sha256 = gauges.sheet.sha256
    for key, what in _FIGURES:
        if key in told:
            place = document.place(sha256, (*path, key), told[key])
            gauges.sample(device, what, place, _figure(told[key]))
    for key, word in _DETAILS:
        if isinstance(told.get(key), str):
            device.tell(word, str(told[key])[:200], document.place(sha256, (*path, key), told[key]))
    listed = told.get("processes")
    if not isinstance(listed, list):
        return
    device.listed = bool(device.listed)
    for number, process in enumerate(listed):
        pid = whole(process.get("pid")) if isinstance(process, dict) else None
        if pid is None:
            continue
        value = process.get("gpu_memory_usage")
        place = document.place(sha256, (*path, "processes", number, "gpu_memory_usage"), value)
        name = str(process.get("command", ""))[:200]
        gauges.process(device, (str(pid),), place, _figure(value), pid=pid, process=name)


def _figure(value: object) -> Printed:
    """Bytes divided by 2**20 and cut down; null is missing, and so is the zero of a process."""
    number = whole(value)
    if number is None or number < 0 or number >= 1 << 43:
        return unavailable(str(value)[:60])
    return floored(str(number), " MB", MIB, 0)


def accepts(content: bytes, name: str) -> int:
    """93 for the members of gpustat's document."""
    head = content[:1_048_576]
    return 93 if b'"gpus"' in head and b'"memory.used"' in head and b'"query_time"' in head else 0


MEMBER = Importer(
    name="gpustat_json",
    title="JSON of gpustat",
    accepts=accepts,
    read=read,
)
