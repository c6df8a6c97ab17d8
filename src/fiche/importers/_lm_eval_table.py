"""The Markdown table that lm-evaluation-harness prints, with the line of settings above it."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from fiche.importers import _evaluations as told
from fiche.importers._markdown import Row, heading, tables
from fiche.importers._refusal import refused
from fiche.importers._results import Board, fact_at, figure
from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

# Columns of versions 0.4.3 on, of 0.4.0 to 0.4.2, and of 0.3; lighteval prints those of 0.3 too.
_COLUMNS = (
    (name, "Version", "Filter", "n-shot", "Metric", "", "Value", "", "Stderr")
    for name in ("Tasks", "Groups")
)
_OLDER = (
    (name, "Version", "Filter", "n-shot", "Metric", "Value", "", "Stderr")
    for name in ("Tasks", "Groups")
)
OLDEST = ("Task", "Version", "Metric", "Value", "", "Stderr")
_HEADINGS = tuple((heading(names), names) for names in (*_COLUMNS, *_OLDER, OLDEST))
# lighteval names a task with the number of its shots at the end, and first of all "all".
_LIGHTEVAL = lazy(r"all|.{1,200}[:|]\d{1,4}")
_SETTINGS = lazy(
    rb"(?m)(?:^|[\s|\]])([\w.-]{1,60}) \((.{0,4000}?)\), (?:gen_kwargs: \((?P<gen>.{0,2000})\), )?"
    rb"limit: (?P<limit>\S{1,40}), (?:provide_description: \S{1,20}, )?"
    rb"num_fewshot: (?P<shots>\S{1,20}), batch_size: (?P<batch>[^\r\n]{1,80})"
)
_LESS_IS_BETTER, _MORE_IS_BETTER = "↓", "↑"


def accepts_table(content: bytes) -> int:
    """How surely a text holds such a table, and not the one of lighteval."""
    if b"|" not in content or b"Stderr" not in content:
        return 0
    for found, names in _HEADINGS:
        if found.search(content):
            return 91 if names is not OLDEST or not of_lighteval(content) else 0
    return 0


def of_lighteval(content: bytes) -> bool:
    """True where a table with the oldest heading names its tasks as lighteval does."""
    for _, rows in tables(content, heading(OLDEST), len(OLDEST)):
        return any(_LIGHTEVAL.fullmatch(row.cells[0]) for row in rows)
    return False


def read_table(content: bytes, sha256: str, kind: str = "lm_eval_results") -> Reading:
    """Every table of a text; the settings are those that the line above it names.

    Raises:
        Refused: there is no table with a figure (F424).
    """
    board = Board(Sheet(sha256))
    _settings(board, content)
    for found, names in _HEADINGS:
        for _, rows in tables(content, found, len(names)):
            _table(board, rows, names)
    if not board.sheet.results:
        hint = "the table's heading and its rows must both be in the file"
        raise refused("F424", "the file does not hold a table of results", sha256, hint=hint)
    board.sheet.warn(
        tell(
            "rounded: a printed table has four decimals; the program's JSON file has the scores "
            "in full"
        )
    )
    return board.sheet.reading(kind, "printed table")


def _table(board: Board, rows: list[Row], names: tuple[str, ...]) -> None:
    """A task's name stands in its first row only."""
    task = version = shots = chosen = ""
    for row in rows:
        cells = dict(zip(names, row.cells, strict=True))
        name = cells[names[0]].lstrip("- ")
        if name:
            task, version = name, cells["Version"]
            shots, chosen = "", ""
        shots, chosen = cells.get("n-shot") or shots, cells.get("Filter") or chosen
        value = _decimal(cells["Value"])
        if value is None or not task:
            continue
        marks: dict[str, Any] = {"filter": chosen, "task_version": version}
        marks["num_fewshot"] = int(shots) if re.fullmatch(r"\d{1,4}", shots) else None
        marks["stderr"] = cells["Stderr"] if _decimal(cells["Stderr"]) is not None else None
        marks["higher_is_better"] = _direction(row.cells)
        marks["limit"] = board.sheet.further.get("limit")
        place = Pointer(sha256=board.sheet.sha256, line=row.line, text=row.text)
        board.sheet.results.append(
            figure(
                place, cells["Value"], value, cells["Metric"], "score", label=task, digits=4,
                marks={name: mark for name, mark in marks.items() if mark not in (None, "")},
            )
        )  # fmt: skip


def _direction(cells: tuple[str, ...]) -> bool | None:
    if _MORE_IS_BETTER in cells:
        return True
    return False if _LESS_IS_BETTER in cells else None


def _decimal(text: str) -> Decimal | None:
    if not re.fullmatch(r"-?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?", text):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _settings(board: Board, content: bytes) -> None:
    match = _SETTINGS.search(content)
    if match is None:
        return
    line = content.count(b"\n", 0, match.start(1)) + 1
    shown = match[0].decode("utf-8", "replace").strip()[:400]
    at = Pointer(sha256=board.sheet.sha256, line=line, text=shown)
    kind, written = (part.decode("utf-8", "replace") for part in match.groups()[:2])
    engine = told.ENGINES.get(kind.casefold(), "")
    fact_at(board.sheet, at, "engine.name", engine)
    given = told.arguments(_plain(written))
    local = Board(Sheet(board.sheet.sha256))
    told.state_model(local, (), given.get("pretrained") or given.get("model"))
    told.state_revision(local, (), given.get("revision"))
    told.state_format(local, (), given.get("dtype"))
    for name, fact in local.sheet.facts.items():
        fact_at(board.sheet, at, name, fact.value)
    for text in local.sheet.warnings:
        board.sheet.warn(text)
    limit = match["limit"].decode("utf-8", "replace")
    if limit != "None":
        board.sheet.warn(
            tell(
                "limited: the run was limited to {limit} samples a task (a share where below 1): it "
                "does not stand for the whole data set",
                limit=limit,
            )
        )
        board.sheet.further["limit"] = limit


def _plain(written: str) -> str:
    """Arguments as `a=b`, also where Python printed a dictionary of them."""
    if not written.startswith("{"):
        return written
    return re.sub(
        r"'([^']{1,200})': (?:'([^']{0,500})'|([^,}]{0,200}))", r"\1=\2\3", written.strip("{}")
    )
