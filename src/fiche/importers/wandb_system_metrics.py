"""System metrics of Weights & Biases, exported as CSV, JSON or JSON lines.

evidence_formats 4: `gpu.{i}.memoryAllocatedBytes` is bytes of NVML, of the device and every process on it;
`gpu.{i}.memoryAllocated` is a percentage of the capacity, and `gpu.{i}.memory` the percentage of time in which
memory was read or written: activity, no fill. Sampled every few seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fiche.importers import _json
from fiche.importers._columns import Column, columns, whole_bytes
from fiche.importers._entries import is_document
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_BYTES = b".memoryAllocatedBytes"
_KEY = lazy(
    r"(?:.{0,300}[ ./])?gpu\.(?:process\.)?(?P<index>[0-9]{1,3})\."
    r"(?P<what>memoryAllocatedBytes|memoryAllocated|memory)(?P<edge>__MIN|__MAX)?"
)
_HEADER = lazy(r".{0,300}gpu\.(?:process\.)?[0-9]{1,3}\.memoryAllocatedBytes")
_REASONS = {
    "memoryAllocated": tell("a percentage of the capacity, which is not in the file"),
    "memory": tell("the share of time in which memory was read or written: activity, no fill"),
}


def read(content: bytes, sha256: str) -> Reading:
    """The largest sample of each device, and the columns that are no memory.

    Raises:
        Refused: a broken document (F428) or table (F429), or no such metric (F424).
    """
    sheet = Sheet(sha256)
    places: dict[str, Pointer] = {}
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        table = _in_json(content, sha256, places)
        shape = "json"
    else:
        table, shape = columns(content, sha256, _HEADER), "csv"
    for column in table:
        _note(sheet, column, places.get(column.name) or column.pointer(sha256))
    if not sheet.observations:
        raise nothing_found(content, sha256, "bytes of memory in system metrics of W&B")
    sheet.further["samples"] = max(column.samples for column in table)
    sheet.warn(
        tell("sampled: a reading every few seconds; the peak between two of them may be higher")
    )
    sheet.warn(tell("whole_device: NVML counts every process on the device"))
    return sheet.reading("wandb_system_metrics", shape)


def _in_json(content: bytes, sha256: str, places: dict[str, Pointer]) -> list[Column]:
    found: dict[str, Column] = {}
    rows: Iterable[tuple[_json.Path, int | None, object]]
    if is_document(content):
        document = _json.document(content, sha256, "the export of metrics")
        rows = ((path, None, item) for path, item in _json.walk(document))
    else:
        rows = (((), number, item) for number, item in _json.records(content))
    for path, line, item in rows:
        if not isinstance(item, dict):
            continue
        for key, value in item.items():
            if _KEY.fullmatch(key) is None or isinstance(value, (dict, list, bool)):
                continue
            column = found.setdefault(key, Column(key))
            before = column.largest
            column.take(str(value), line or 0)
            if column.largest != before:
                places[key] = _json.pointer(sha256, (*path, key), value, line)
    return list(found.values())


def _note(sheet: Sheet, column: Column, place: Pointer) -> None:
    key = _KEY.fullmatch(column.name)
    if key is None or not column.samples or key["edge"] == "__MIN":
        return
    if key["what"] in _REASONS:
        sheet.plan(place, column.name, _REASONS[key["what"]])
        return
    figure = whole_bytes(column.text)
    if figure is not None:
        index = int(key["index"])
        sheet.see(
            place, column.name, figure, scope="device", stat="sampled_max", device_index=index
        )


def accepts(content: bytes, name: str) -> int:
    """90 for a table or document that names its bytes."""
    at = content.find(_BYTES)
    if at < 0:
        return 0
    begun = content.rfind(b"\n", 0, at) + 1
    line = content[begun : at + 400]
    return (
        90
        if re.search(
            rb"gpu\.(?:process\.)?\d{1,3}\.memoryAllocatedBytes\"?(?:__M..)?\"?[,:]?", line
        )
        else 0
    )


MEMBER = Importer(
    name="wandb_system_metrics",
    title="System metrics of Weights & Biases",
    accepts=accepts,
    read=read,
)
