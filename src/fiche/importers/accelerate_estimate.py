"""The table of `accelerate estimate-memory`: computed from counts of parameters, nothing is observed.

accelerate 1.15.0, `commands/estimate.py` and `utils/other.py` (evidence_formats 4): bytes, KB, MB, GB and TB of
1024, two decimals, zeros dropped. Training is four times the parameters in single precision, for Adam.
"""

from __future__ import annotations

import re

from fiche.importers import _training
from fiche.importers._figures import nearest
from fiche.importers._lines import NUMBER, Line, lines
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_TITLE = b"Memory Usage for loading `"
_HEAD = (b"Largest Layer", b"Total Size")
_ROWS = (b"float32", b"float16", b"int8", b"int4")
_NAME = lazy(r"Memory Usage for loading `(?P<name>[^`\n]{1,200})`")
_UNITS = {"bytes": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_CELL = rf"\s{{0,60}}(?:{NUMBER}\s{{1,3}}(?:bytes|[KMGT]B)|N/A)\s{{0,60}}"
_ROW = lazy(
    r"[│|]\s{0,60}(?P<dtype>b?float(?:16|32)|int[48])\s{0,60}"
    rf"[│|](?P<layer>{_CELL})[│|](?P<total>{_CELL})(?:[│|](?P<training>{_CELL}))?[│|]"
)
_FIGURE = lazy(rf"(?P<value>{NUMBER})\s{{1,3}}(?P<unit>bytes|[KMGT]B)")
_COUNTERS = {
    "layer": "accelerate.largest_layer",
    "total": "accelerate.total_size",
    "training": "accelerate.training_with_adam",
}


def read(content: bytes, sha256: str) -> Reading:
    """Every cell as a plan, under its format of numbers.

    Raises:
        Refused: there is no row of such a table (F424).
    """
    sheet = Sheet(sha256)
    for line in lines(content, (_TITLE, *_HEAD, *_ROWS)):
        title = _NAME.search(line.raw)
        if title is not None:
            sheet.fact(line, "model.name", title["name"])
            text = title[0]
            sheet.plan(
                line,
                text,
                tell("accelerate computed it from counts of parameters; nothing was measured"),
            )
        row = _ROW.search(line.raw)
        if row is not None:
            _plan(sheet, line, row)
    if not sheet.planned:
        raise nothing_found(content, sha256, "a row of accelerate's table of estimates")
    sheet.warn(_training.COMPUTED)
    sheet.warn(tell("unit_label_is_binary: KB, MB and GB are powers of 1024 in this table"))
    return sheet.reading("accelerate_estimate", "table")


def _plan(sheet: Sheet, line: Line, row: re.Match[str]) -> None:
    for key, counter in _COUNTERS.items():
        figure = _FIGURE.search(row[key] or "")
        if figure is not None:
            value = nearest(figure["value"], f" {figure['unit']}", _UNITS[figure["unit"]], 2)
            sheet.see(
                line,
                counter,
                value,
                scope="device",
                stat="need",
                origin="estimated",
                label=row["dtype"],
            )


def accepts(content: bytes, name: str) -> int:
    """85 for its heading with rows."""
    return 85 if all(word in content for word in _HEAD) and _rows(content) else 0


def _rows(content: bytes) -> bool:
    return any(_ROW.search(line.raw) is not None for line in lines(content[: 1 << 20], _ROWS))


MEMBER = Importer(
    name="accelerate_estimate",
    title="Table of accelerate estimate-memory",
    accepts=accepts,
    read=read,
)
