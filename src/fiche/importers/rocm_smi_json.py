"""`rocm-smi --json` (evidence_formats 7): bytes as strings, a member `cardN` a device.

Warnings may stand in front of the JSON, and a loop writes one document a line: that is a series.
"""

from __future__ import annotations

import re

from fiche.importers import _amd_meaning as amd
from fiche.importers._device_gauges import Gauges
from fiche.importers._device_tracks import ROCM, Device
from fiche.importers._documents import Document, documents
from fiche.importers._json import shape_wrong
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading

_CARD = lazy(r"card([0-9]{1,4})")
_PID = lazy(r"PID([0-9]{1,10})")
_MEMORY = {"VRAM Total Memory (B)": "total", "VRAM Total Used Memory (B)": "used"}
_NAMES = ("Card Series", "Card series", "Device Name", "Card Model", "Card model", "Market Name")
_PERCENT = lazy(r"(?i).*memory.*\(?%\)?$|.*VRAM%.*")


def read(content: bytes, sha256: str) -> Reading:
    """Total and used memory of each card, and of each process where it was asked for.

    Raises:
        Refused: broken JSON (F428), no member of a card (F429), or no figure of memory (F424).
    """
    gauges = Gauges(Sheet(sha256), ROCM)
    sheet = gauges.sheet
    found = documents(content, sha256, "the output of rocm-smi")
    cards = 0
    for document in found.all:
        cards += _document(document, gauges)
    if not cards:
        raise shape_wrong((), "there is no member 'card0' with the figures of a card", sha256)
    if gauges.empty and not sheet.aside:
        raise nothing_found(content, sha256, "VRAM in the JSON of rocm-smi (--showmeminfo vram)")
    found.notes(sheet)
    gauges.close()
    amd.unmeasured(gauges)
    return sheet.reading("rocm_smi_json", "showmeminfo-vram", amd.BACKEND)


def _document(document: Document, gauges: Gauges) -> int:
    value, cards = document.value, 0
    if not isinstance(value, dict):
        return 0
    for name, told in value.items():
        match = _CARD.fullmatch(name)
        if match is not None and isinstance(told, dict):
            cards += 1
            _card(document, name, int(match[1]), told, gauges)
    system = value.get("system")
    if isinstance(system, dict):
        _system(document, system, gauges)
    return cards


def _card(
    document: Document, name: str, index: int, told: dict[str, object], gauges: Gauges
) -> None:
    device = gauges.device((name,), index)
    for key, value in told.items():
        words, place = str(value).strip(), document.place(gauges.sheet.sha256, (name, key), value)
        if key in _MEMORY:
            gauges.sample(device, _MEMORY[key], place, amd.in_bytes(words))
        elif _PERCENT.fullmatch(key[:100]):
            amd.aside(gauges.sheet, place, f"{name} {key}", words)
        else:
            _detail(device, key, words, place)


def _detail(device: Device, key: str, words: str, place: Pointer) -> None:
    if key in _NAMES and not words.startswith("0x"):
        device.tell("name", words, place)
    elif key == "Unique ID":
        device.tell("uuid", words, place)
    elif key == "PCI Bus":
        device.tell("bus_id", words, place)


def _system(document: Document, system: dict[str, object], gauges: Gauges) -> None:
    """The driver, and processes: `name, GPUs, VRAM used, SDMA used, CU occupancy`."""
    for key, value in system.items():
        place = document.place(gauges.sheet.sha256, ("system", key), value)
        match = _PID.fullmatch(key)
        if key.casefold() == "driver version":
            gauges.sheet.fact(place, "driver", str(value))
        elif match is not None:
            parts = [part.strip() for part in str(value).rsplit(",", 4)]
            if len(parts) == 5 and parts[2].isdecimal():
                device = gauges.device(("processes",))
                marks: dict[str, object] = {"pid": int(match[1]), "process": parts[0][:200]}
                gauges.process(device, (match[1],), place, amd.in_bytes(parts[2]), **marks)


def accepts(content: bytes, name: str) -> int:
    """93 for the members of a card in JSON."""
    if b'"card' not in content[:4_194_304]:
        return 0
    keys = (b"(B)", b"GPU use (%)", b"VRAM", b'"Card ', b'"GPU ID"')
    head = content[:4_194_304]
    return (
        93 if re.search(rb'"card[0-9]{1,4}"\s{0,20}:', head) and any(k in head for k in keys) else 0
    )


MEMBER = Importer(
    name="rocm_smi_json",
    title="JSON of rocm-smi",
    accepts=accepts,
    read=read,
)
