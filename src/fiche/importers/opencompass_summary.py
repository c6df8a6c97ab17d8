"""Summary of OpenCompass as CSV: one row a data set, one column a model.

Format of version 0.5.4 (`summarizers/default.py`): columns `dataset,version,metric,mode`, then the models;
two decimals, a dash where there is no score. `accuracy` is a percentage by the program's own arithmetic.
"""

from __future__ import annotations

import csv
import io
from decimal import Decimal

from fiche.importers._refusal import refused
from fiche.importers._results import Board, figure
from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_HEAD = lazy(rb"\A(?:\xef\xbb\xbf)?dataset,version,metric,mode,[^\r\n]")
_NUMBER = lazy(r"-?\d{1,12}(?:\.\d{1,12})?")
_OWN = 4
_MOST_ROWS = 20_000


def _accepts(content: bytes, name: str) -> int:
    return 93 if _HEAD.match(content) else 0


def _read(content: bytes, sha256: str) -> Reading:
    text = content.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    lines = text.split("\n")[:_MOST_ROWS]
    models = lines[0].split(",")[_OWN:]
    board = Board(Sheet(sha256))
    for number, line in enumerate(lines[1:], 2):
        cells = _cells(line)
        if len(cells) < _OWN:
            continue
        if len(cells) != _OWN + len(models):
            hint = "a model or data set with a comma in its name breaks the columns: the program quotes none"
            message = f"the row has {len(cells)} columns, the heading {_OWN + len(models)}"
            raise refused("F429", message, sha256, line=number, hint=hint)
        _row(board, number, line, cells, models)
    if not board.sheet.results:
        raise refused("F424", "the file does not hold a score", sha256)
    _model(board, models, lines[0])
    board.sheet.warn(tell("stderr_missing: the format has no standard errors"))
    board.sheet.warn(
        tell(
            "scale_by_metric: accuracy is in percent; the scale of other metrics the file does "
            "not name"
        )
    )
    return board.sheet.reading("opencompass_summary", "summary csv")


def _cells(line: str) -> list[str]:
    if len(line) > 100_000:
        return []
    try:
        return next(csv.reader(io.StringIO(line)), [])
    except csv.Error:
        return []


def _row(board: Board, number: int, line: str, cells: list[str], models: list[str]) -> None:
    dataset, version, metric, mode = (cell.strip() for cell in cells[:_OWN])
    for model, cell in zip(models, cells[_OWN:], strict=True):
        if not _NUMBER.fullmatch(cell.strip()):
            continue
        marks = {"model": model.strip(), "task_version": version, "mode": mode}
        if metric == "accuracy":
            marks["scale"] = "percent"
        place = Pointer(sha256=board.sheet.sha256, line=number, text=line[:400])
        board.sheet.results.append(
            figure(
                place, cell.strip(), Decimal(cell.strip()), metric, "score", label=dataset, digits=2,
                marks={name: mark for name, mark in marks.items() if mark not in ("", "-")},
            )
        )  # fmt: skip


def _model(board: Board, models: list[str], line: str) -> None:
    """The column's name is the abbreviation that the evaluation's configuration gave the model."""
    if len(models) == 1:
        at = Pointer(sha256=board.sheet.sha256, line=1, text=line[:400])
        board.sheet.fact(at, "model.alias", models[0].strip())
    else:
        board.sheet.warn(
            tell(
                "several_models: the table holds several models; each score is marked with its "
                "column's name"
            )
        )


MEMBER = Importer(
    name="opencompass_summary",
    title="Summary of OpenCompass (CSV)",
    accepts=_accepts,
    read=_read,
)
