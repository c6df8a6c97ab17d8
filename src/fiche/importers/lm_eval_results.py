"""Results of lm-evaluation-harness: its JSON file, and the Markdown table that it prints.

Formats of versions 0.3.0, 0.4.3, 0.4.9 and 0.4.13 (`evaluator.py`, `evaluator_utils.py`, `utils.make_table`,
`loggers/evaluation_tracker.py`). A metric of 0.4 is named `metric,filter`. Scores are written in the JSON in
full and in the table with four decimals. A task is named by its key (`arc_easy`); quality asks for it (A7).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from fiche.importers import _evaluations as told
from fiche.importers._json import document, looks_like_json, shape_wrong
from fiche.importers._lm_eval_table import accepts_table, read_table
from fiche.importers._results import Board, count, day_of, members_of, word
from fiche.importers._sheet import Sheet
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_WHAT = "lm-evaluation-harness results"
_RESULTS = lazy(rb'"results"\s{0,20}:\s{0,20}\{')
_OWN = (b'"n-shot"', b'"higher_is_better"', b'"lm_eval_version"', b'"bootstrap_iters"')
# Keys of a task's results that are no metric.
_NO_METRIC = frozenset({"alias", "name", "sample_len", "sample_count"})
# Means of right and wrong answers: between 0 and 1 by the program's own arithmetic.
FRACTIONS = frozenset({"acc", "acc_norm", "acc_bytes", "acc_mutual_info", "exact_match"})


def _accepts(content: bytes, name: str) -> int:
    if looks_like_json(content):
        own = _RESULTS.search(content) is not None and any(key in content for key in _OWN)
        return 92 if own and b'"config_general"' not in content else 0
    return accepts_table(content)


def _read(content: bytes, sha256: str) -> Reading:
    if not looks_like_json(content):
        return read_table(content, sha256)
    root = document(content, sha256, _WHAT)
    if not isinstance(root, dict) or not isinstance(root.get("results"), dict):
        raise shape_wrong((), "the document has no 'results' by task", sha256)
    board = Board(Sheet(sha256))
    _facts(board, root)
    for section, task, metrics in _tasks(root, sha256):
        _task(board, section, task, metrics, root)
    _warn(board, root)
    if not board.sheet.results:
        raise shape_wrong(("results",), "no task has a result", sha256)
    return board.sheet.reading(
        "lm_eval_results", "results json", version=word(root.get("lm_eval_version"))
    )


def _tasks(root: Mapping[str, Any], sha256: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every task, and the groups that stand nowhere else; the same group is written twice by 0.4."""
    for section in ("results", "groups"):
        for task, metrics in members_of(root.get(section)).items():
            if not isinstance(metrics, dict):
                raise shape_wrong((section, task), "a task's results are no object", sha256)
            if section == "results" or task not in root["results"]:
                yield section, task, metrics


def _task(
    board: Board, section: str, task: str, metrics: Mapping[str, Any], root: Mapping[str, Any]
) -> None:
    for key, value in metrics.items():
        metric, _, chosen = key.partition(",")
        if key in _NO_METRIC or metric.endswith("_stderr"):
            continue
        marks = _marks(task, metric, chosen, value, root)
        error = metrics.get(f"{metric}_stderr,{chosen}" if chosen else f"{metric}_stderr")
        if isinstance(error, int | Decimal) and not isinstance(error, bool):
            marks["stderr"] = str(error)
        board.put((section, task, key), value, metric, "score", label=task, marks=marks)


def _marks(
    task: str, metric: str, chosen: str, value: object, root: Mapping[str, Any]
) -> dict[str, Any]:
    """What belongs to a score: filter, shots, samples, direction, scale, the task's version."""
    samples = members_of(members_of(root.get("n-samples")).get(task))
    shots = members_of(root.get("n-shot")).get(
        task, members_of(root.get("config")).get("num_fewshot")
    )
    better = members_of(members_of(root.get("higher_is_better")).get(task)).get(metric)
    version = members_of(root.get("versions")).get(task)
    within = isinstance(value, int | Decimal) and 0 <= value <= 1
    found: dict[str, Any] = {
        "filter": chosen,
        "num_fewshot": count(shots),
        "samples": count(samples.get("effective")),
        "of_samples": count(samples.get("original")),
        "higher_is_better": better if isinstance(better, bool) else None,
        "scale": "fraction" if metric in FRACTIONS and within else None,
        "task_version": None if version is None else str(version),
        "limit": _limit(root),
    }
    return {name: mark for name, mark in found.items() if mark not in (None, "")}


def _facts(board: Board, root: Mapping[str, Any]) -> None:
    config = members_of(root.get("config"))
    engine = told.state_engine(board, ("config", "model"), config.get("model"))
    given = told.arguments(config.get("model_args"))
    where = ("config", "model_args")
    name = word(root.get("model_name"))
    if word(given.get("pretrained") or given.get("model")):
        told.state_model(board, where, given.get("pretrained") or given.get("model"))
    elif name:
        told.state_model(board, ("model_name",), name)
    told.state_revision(board, ("config", "model_sha"), config.get("model_sha"), "revision")
    if "model.revision" not in board.sheet.facts:
        told.state_revision(board, where, given.get("revision"))
    told.state_format(board, ("config", "model_dtype"), config.get("model_dtype"))
    if "formats.compute" not in board.sheet.facts:
        told.state_format(board, where, given.get("dtype"))
    for key in sorted(set(given) - {"pretrained", "revision", "dtype"})[:60]:
        board.state(where, given[key], f"model_args.{key[:60]}")
    if engine == "transformers" and word(root.get("transformers_version")) not in ("", "N/A"):
        board.state(("transformers_version",), root["transformers_version"], "engine.version")
    told.state_environment(board, ("pretty_env_info",), root.get("pretty_env_info"))
    board.state(("date",), day_of(root.get("date")), "measured_on")
    for key, fact in (
        ("batch_size", "batch_size"),
        ("random_seed", "seed"),
        ("device", "device_asked"),
    ):
        board.state(("config", key), config.get(key), fact)


def _limit(root: Mapping[str, Any]) -> str | None:
    """How many samples a task was limited to, or which share of them; None for all."""
    limit = members_of(root.get("config")).get("limit")
    numeric = isinstance(limit, int | Decimal) and not isinstance(limit, bool)
    return str(limit) if numeric else None


def _warn(board: Board, root: Mapping[str, Any]) -> None:
    limit = _limit(root)
    if limit is not None:
        board.sheet.warn(
            tell(
                "limited: the run was limited to {limit} samples a task (a share where below 1): it "
                "does not stand for the whole data set",
                limit=limit,
            )
        )
    bare = [r for r in board.sheet.results if "stderr" not in r.marks]
    if bare:
        named = ", ".join(dict.fromkeys(f"{r.label} {r.metric}" for r in bare[:8]))
        board.sheet.warn(
            tell(
                "stderr_missing: {count} score(s) have no standard error: {named}",
                count=len(bare),
                named=named,
            )
        )
    if any("scale" not in result.marks for result in board.sheet.results):
        board.sheet.warn(
            tell(
                "scale_by_metric: each metric has a scale of its own, which the file does not name: "
                "62.0 is not 0.62 unless the metric says so"
            )
        )


MEMBER = Importer(
    name="lm_eval_results",
    title="Results of lm-evaluation-harness (JSON, printed table)",
    accepts=_accepts,
    read=_read,
    anchors=(b'"results"', b"Stderr", "±".encode(), b"num_fewshot:"),
    log=True,
)
