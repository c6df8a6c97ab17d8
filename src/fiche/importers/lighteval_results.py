"""Results of lighteval: its JSON file, and the Markdown table that it prints.

Formats of versions 0.6.2 and 0.13.0 (`logging/evaluation_tracker.py`, `logging/info_loggers.py`,
`utils/utils.make_results_table`). A task is named with its shots (`gsm8k|5`, `leaderboard|arc:challenge|25`);
`all` and `_average` are means of the others, made by the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from fiche.importers import _evaluations as told
from fiche.importers._json import document, looks_like_json, shape_wrong
from fiche.importers._lm_eval_table import OLDEST, of_lighteval, read_table
from fiche.importers._markdown import heading
from fiche.importers._results import Board, count, members_of, word
from fiche.importers._sheet import Sheet
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_WHAT = "lighteval results"
_RESULTS = lazy(rb'"results"\s{0,20}:\s{0,20}\{')
_SHOTS = lazy(r".{1,300}[|:](\d{1,4})(?:[|:][01])?")


def _accepts(content: bytes, name: str) -> int:
    if looks_like_json(content):
        return 92 if b'"config_general"' in content and _RESULTS.search(content) else 0
    if b"Stderr" not in content or not heading(OLDEST).search(content):
        return 0
    return 91 if of_lighteval(content) else 0


def _read(content: bytes, sha256: str) -> Reading:
    if not looks_like_json(content):
        return read_table(content, sha256, "lighteval_results")
    root = document(content, sha256, _WHAT)
    if not isinstance(root, dict) or not isinstance(root.get("results"), dict):
        raise shape_wrong((), "the document has no 'results' by task", sha256)
    board = Board(Sheet(sha256))
    general = members_of(root.get("config_general"))
    _facts(board, general)
    for task, metrics in root["results"].items():
        if not isinstance(metrics, dict):
            raise shape_wrong(("results", task), "a task's results are no object", sha256)
        _task(board, task, metrics, root)
    limit = count(general.get("max_samples"))
    if limit is not None:
        board.sheet.warn(
            tell(
                "limited: the run was limited to {limit} samples a task: it does not stand for the "
                "whole data set",
                limit=limit,
            )
        )
    if not board.sheet.results:
        raise shape_wrong(("results",), "no task has a result", sha256)
    return board.sheet.reading("lighteval_results", "results json")


def _task(board: Board, task: str, metrics: Mapping[str, Any], root: Mapping[str, Any]) -> None:
    for metric, value in metrics.items():
        if metric.endswith("_stderr"):
            continue
        error = metrics.get(f"{metric}_stderr")
        marks = _marks(task, metric, root)
        if isinstance(error, int | Decimal) and not isinstance(error, bool):
            marks["stderr"] = str(error)
        else:
            board.sheet.warn(tell("stderr_missing: some scores have no standard error"))
        board.put(("results", task, metric), value, metric, "score", label=task, marks=marks)


def _marks(task: str, metric: str, root: Mapping[str, Any]) -> dict[str, Any]:
    shots = _SHOTS.fullmatch(task)
    version = members_of(root.get("versions")).get(task)
    limit = count(members_of(root.get("config_general")).get("max_samples"))
    found: dict[str, Any] = {
        "num_fewshot": int(shots[1]) if shots else None,
        "higher_is_better": _direction(task, metric, root),
        "task_version": None if version is None else str(version),
        "limit": limit,
        "derived": True if task == "all" or "_average" in task else None,
    }
    return {name: mark for name, mark in found.items() if mark not in (None, "")}


def _direction(task: str, metric: str, root: Mapping[str, Any]) -> bool | None:
    """What the task's configuration says of its metric, where it is written as an object."""
    config = members_of(members_of(root.get("config_tasks")).get(task))
    metrics = config.get("metrics", config.get("metric"))
    for told_metric in metrics if isinstance(metrics, list) else ():
        if isinstance(told_metric, dict) and told_metric.get("metric_name") == metric:
            better = told_metric.get("higher_is_better")
            return better if isinstance(better, bool) else None
    return None


def _facts(board: Board, general: Mapping[str, Any]) -> None:
    config = members_of(general.get("model_config"))
    for path, name in (
        (("config_general", "model_config", "model_name"), config.get("model_name")),
        (("config_general", "model_name"), general.get("model_name")),
    ):
        if word(name) and not {"model.name", "model.path"} & set(board.sheet.facts):
            told.state_model(board, path, name)
    told.state_revision(board, ("config_general", "model_sha"), general.get("model_sha"))
    if "model.revision" not in board.sheet.facts:
        where = ("config_general", "model_config", "revision")
        told.state_revision(board, where, config.get("revision"))
    told.state_format(board, ("config_general", "model_dtype"), general.get("model_dtype"))
    if "formats.compute" not in board.sheet.facts:
        told.state_format(board, ("config_general", "model_config", "dtype"), config.get("dtype"))
    board.state(("config_general", "lighteval_sha"), general.get("lighteval_sha"), "lighteval_sha")


MEMBER = Importer(
    name="lighteval_results",
    title="Results of lighteval (JSON, printed table)",
    accepts=_accepts,
    read=_read,
    anchors=(b'"config_general"', b"Stderr", "±".encode()),
    log=True,
)
