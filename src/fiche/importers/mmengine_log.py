"""`memory: 28746` in the lines of MMEngine and MMCV, and in their JSON lines.

mmengine 0.10.7, `runner/log_processor.py` and `device/utils.py` (evidence_formats 4): the peak of torch's
allocated memory as whole MiB, cut down. MMEngine resets the peak at each line; MMCV 1.x does not, and takes the
largest of all ranks.
"""

from __future__ import annotations

import re

from fiche.importers import _json, _training
from fiche.importers._figures import MIB, floored
from fiche.importers._lines import Line, holds, lines, spaced
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_ANCHORS = (b"memory: ", b'"memory":')
_FRONT = (
    r"(?P<front>(?:Epoch|Iter)(?:\((?P<mode>train|val|test)\))? "
    r"\[ \d{1,9}(?: \]\[ \d{1,9})?/\d{1,9} \])"
)
_ROW = spaced(_FRONT + r"[^\n]{0,400}?\bmemory: (?P<value>[0-9]{1,9})\b(?!\.)")


def read(content: bytes, sha256: str) -> Reading:
    """The peak of every logged line.

    Raises:
        Refused: no line holds it (F424).
    """
    sheet = Sheet(sha256)
    shapes = []
    for line in lines(content, _ANCHORS):
        found = _training.fits(line, "memory:", _ROW)
        if found is not None:
            resets = found["mode"] is not None
            front = re.sub(r"\s{1,60}", "", found["front"])
            _note(sheet, line, found["value"], front, resets=resets, step=None)
            shapes.append("mmengine-lines" if resets else "mmcv-lines")
    if not shapes:
        for number, entry in _json.records(content):
            if isinstance(entry, dict) and _is_row(entry):
                _entry(sheet, number, entry)
                shapes.append("json-lines")
    if sheet.empty:
        raise nothing_found(content, sha256, "a line of MMEngine or MMCV about memory")
    sheet.warn(_training.DEVICE)
    return sheet.reading("mmengine_log", shapes[0])


def _note(
    sheet: Sheet,
    at: Line | Pointer,
    value: str,
    label: str,
    *,
    resets: bool | None,
    step: int | None,
) -> None:
    sheet.see(
        at,
        "allocated_bytes",
        floored(value, "", MIB),
        scope="process_allocator",
        stat="peak",
        label=label,
        window="since_previous_line" if resets else "",
        marks={} if step is None else {"step": step},
    )
    sheet.warn(tell("unit_not_printed: the program writes whole MiB and no unit"))
    if resets:
        sheet.warn(_training.WINDOW)
        sheet.warn(_training.RANK_0)
    elif resets is None:
        sheet.warn(tell("window_not_told: MMEngine resets the peak at each line, MMCV does not"))
    else:
        sheet.warn(tell("largest_of_ranks: the figure is the largest of all ranks"))


def _is_row(entry: dict[str, object]) -> bool:
    return "memory" in entry and "lr" in entry and ("iter" in entry or "step" in entry)


def _entry(sheet: Sheet, number: int, entry: dict[str, object]) -> None:
    value = _json.whole(entry["memory"])
    step = _json.whole(entry.get("iter", entry.get("step")))
    if value is not None and value >= 0:
        place = _json.pointer(sheet.sha256, ("memory",), entry["memory"], number)
        mode = str(entry.get("mode", ""))[:40]
        resets = False if "mode" in entry else None  # only MMCV writes its mode
        _note(sheet, place, str(value), mode, resets=resets, step=step)


def accepts(content: bytes, name: str) -> int:
    """88 for its lines, in text or JSON."""
    if not holds(content, _ANCHORS):
        return 0
    if _training.surely(content, _ANCHORS[:1], _ROW):
        return 88
    head = content[: 256 * 1024]
    rows = (entry for _, entry in _json.records(head) if isinstance(entry, dict))
    return 88 if b'"memory":' in head and any(_is_row(entry) for entry in rows) else 0


MEMBER = Importer(
    name="mmengine_log",
    title="Memory in the lines of MMEngine and MMCV",
    accepts=accepts,
    read=read,
    anchors=_ANCHORS,
    log=True,
)
