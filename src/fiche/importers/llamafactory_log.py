"""LLaMA-Factory's `trainer_log.jsonl` with memory, which RECORD_VRAM=1 adds.

llamafactory 0.9.5, `train/callbacks.py` (evidence_formats 4): torch's peaks since the start, bytes / 2**30 with
two decimals, of the process that writes (rank 0); no unit is printed. Where there is no counter the program
writes -1 byte, which shows as -0.0: missing, not zero.
"""

from __future__ import annotations

from decimal import Decimal

from fiche.importers import _json, _training
from fiche.importers._figures import GIB, nearest
from fiche.importers._lines import holds
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_KEYS = {"vram_allocated": "allocated_bytes", "vram_reserved": "reserved_bytes"}
_ANCHORS = tuple(f'"{key}"'.encode() for key in _KEYS)


def read(content: bytes, sha256: str) -> Reading:
    """Both peaks of every logged step.

    Raises:
        Refused: no line holds them (F424).
    """
    sheet = Sheet(sha256)
    for number, entry in _json.records(content):
        if isinstance(entry, dict):
            for key in _KEYS:
                if key in entry:
                    _note(sheet, number, key, entry)
    if sheet.empty:
        raise nothing_found(
            content, sha256, "LLaMA-Factory's memory, which only RECORD_VRAM=1 records"
        )
    sheet.warn(_training.RANK_0)
    sheet.warn(_training.DEVICE)
    sheet.warn(tell("unit_not_printed: the program writes 2**30 bytes and no unit"))
    _broken(sheet, content)
    return sheet.reading("llamafactory_log", "trainer-log-jsonl")


def _note(sheet: Sheet, number: int, key: str, entry: dict[str, object]) -> None:
    value = _json.number(entry[key])
    if value is None or value < 0 or value.is_signed():
        sheet.warn(tell("not_available: {key} is missing for this kind of device", key=key))
        return
    if value == 0:
        sheet.warn(
            tell(
                "zero_may_be_unmeasured: {key} is 0, as it is without a device that counts", key=key
            )
        )
    step = _json.whole(entry.get("current_steps"))
    sheet.see(
        _json.pointer(sheet.sha256, (key,), entry[key], number),
        _KEYS[key],
        nearest(_plain(value), "", GIB, 2),
        scope="process_allocator",
        stat="peak",
        rank=0,
        label=key,
        marks={} if step is None else {"step": step},
    )


def _plain(value: Decimal) -> str:
    return f"{value:f}"


def _broken(sheet: Sheet, content: bytes) -> None:
    """Say where a line that bears memory could not be read."""
    whole = {number for number, _ in _json.records(content)}
    torn = [
        number
        for number, line in enumerate(content.split(b"\n"), 1)
        if number not in whole and holds(line, _ANCHORS)
    ]
    if torn:
        sheet.warn(
            tell("truncated: line {torn} is no whole JSON object and is left out", torn=torn[0])
        )


def accepts(content: bytes, name: str) -> int:
    """92 for lines of JSON with these keys."""
    if not holds(content, _ANCHORS):
        return 0
    at = min(place for key in _ANCHORS if (place := content.find(key)) >= 0)
    line = content[content.rfind(b"\n", 0, at) + 1 : at]
    return 92 if line.lstrip(b"\xef\xbb\xbf \t").startswith(b"{") else 0


MEMBER = Importer(
    name="llamafactory_log",
    title="LLaMA-Factory's log of a trainer",
    accepts=accepts,
    read=read,
)
