"""Results of GenAI-Perf and of AIPerf: their JSON export, which both build alike.

GenAI-Perf 0.0.16 (`export_data/json_exporter.py`, `metrics/statistics.py`) and AIPerf 0.13.0 (schema 1.4,
`common/models/export_models.py`). Every metric states its unit (`ms`, `requests/sec`, `tokens/sec`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fiche.importers import _evaluations
from fiche.importers._json import document, looks_like_json, shape_wrong
from fiche.importers._results import Board, members_of, word
from fiche.importers._sheet import Sheet
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_WHAT = "a GenAI-Perf or AIPerf export"
_KEYS = (b'"input_config"', b'"request_throughput"', b'"request_latency"', b'"unit"')
_METRICS = frozenset(
    {
        "request_throughput",
        "request_latency",
        "request_count",
        "time_to_first_token",
        "time_to_second_token",
        "inter_token_latency",
        "output_token_throughput",
        "output_token_throughput_per_user",
        "output_sequence_length",
        "input_sequence_length",
        "goodput",
        "request_goodput",
        "benchmark_duration",
        "total_token_throughput",
    }
)
_STATS = {
    "avg": "mean",
    "p50": "median",
    "std": "std",
    "max": "max",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
}
_DAY = lazy(r"(\d{4}-\d{2}-\d{2})[T ].{1,40}")


def _accepts(content: bytes, name: str) -> int:
    if not looks_like_json(content):
        return 0
    return 92 if all(key in content for key in _KEYS) else 0


def _read(content: bytes, sha256: str) -> Reading:
    root = document(content, sha256, _WHAT)
    if not isinstance(root, dict):
        raise shape_wrong((), "the document is no object of metrics", sha256)
    board = Board(Sheet(sha256))
    for metric in sorted(_METRICS & set(root)):
        _metric(board, metric, members_of(root[metric]))
    if not board.sheet.results:
        raise shape_wrong((), "no metric has a figure with its unit", sha256)
    _facts(board, root)
    _doubts(board, root)
    version = word(root.get("aiperf_version"))
    shape = "aiperf json" if version or "schema_version" in root else "genai-perf json"
    return board.sheet.reading("genai_perf", shape, version=version)


def _metric(board: Board, metric: str, told: Mapping[str, Any]) -> None:
    unit = word(told.get("unit"))
    if not unit:
        board.sheet.warn(tell("no_unit: {metric} states no unit and is left out", metric=metric))
        return
    for key, stat in _STATS.items():
        board.put((metric, key), told.get(key), metric, unit, stat=stat)


def _facts(board: Board, root: Mapping[str, Any]) -> None:
    config = members_of(root.get("input_config"))
    for path, names in (
        (("input_config", "model_names"), config.get("model_names")),
        (("input_config", "model"), config.get("model")),
        (
            ("input_config", "endpoint", "model_names"),
            members_of(config.get("endpoint")).get("model_names"),
        ),
    ):
        one = names[0] if isinstance(names, list) and len(names) == 1 else names
        if word(one) and not {"model.name", "model.path"} & set(board.sheet.facts):
            _evaluations.state_model(board, path, one)
    match = _DAY.fullmatch(word(root.get("start_time")))
    if match:
        board.state(("start_time",), match[1], "measured_on")


def _doubts(board: Board, root: Mapping[str, Any]) -> None:
    errors = members_of(root.get("error_request_count")).get("avg")
    if errors:
        board.sheet.warn(
            tell(
                "requests_failed: {errors} requests failed: latencies and rates are of the others "
                "only",
                errors=errors,
            )
        )
    if root.get("was_cancelled") is True or root.get("is_complete") is False:
        reason = word(root.get("incomplete_reason"))[:120]
        ended = tell("run_incomplete: the run did not end by itself")
        if reason:
            ended = tell("run_incomplete: the run did not end by itself: {reason}", reason=reason)
        board.sheet.warn(ended)


MEMBER = Importer(
    name="genai_perf", title="Results of GenAI-Perf and AIPerf (JSON)", accepts=_accepts, read=_read
)
