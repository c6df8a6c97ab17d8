"""Reports of GuideLLM: its JSON file, one benchmark a traffic strategy.

Versions 0.2.1 and 0.8.1 (`benchmark/benchmark.py`, `benchmark/schemas/`): `benchmarks[].metrics`, each metric
by status (`successful`, `errored`, `incomplete`, `total`) with mean, median, std_dev and percentiles. Names
that end in `_ms` are in milliseconds, `request_latency` in seconds; only what succeeded is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fiche.importers import _evaluations
from fiche.importers._json import Path, document, looks_like_json, shape_wrong
from fiche.importers._results import Board, count, day_of, members_of, word
from fiche.importers._sheet import Sheet
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_WHAT = "a GuideLLM report"
_KEYS = (b'"benchmarks"', b'"metrics"', b'"successful"', b'"time_to_first_token_ms"')
_UNITS: Mapping[str, str] = {
    "requests_per_second": "requests/s",
    "request_concurrency": "requests",
    "request_latency": "s",
    "prompt_token_count": "tokens",
    "output_token_count": "tokens",
    "time_to_first_token_ms": "ms",
    "time_per_output_token_ms": "ms",
    "inter_token_latency_ms": "ms",
    "prompt_tokens_per_second": "tokens/s",
    "output_tokens_per_second": "tokens/s",
    "tokens_per_second": "tokens/s",
}
_STATS = {"mean": "mean", "median": "median", "std_dev": "std", "max": "max"}
_PERCENTILE = lazy(r"p(\d{2,3})")
_SHOWN = frozenset({"p90", "p95", "p99"})


def _accepts(content: bytes, name: str) -> int:
    if not looks_like_json(content):
        return 0
    return 92 if all(key in content for key in _KEYS) else 0


def _read(content: bytes, sha256: str) -> Reading:
    root = document(content, sha256, _WHAT)
    benchmarks = members_of(root).get("benchmarks")
    if not isinstance(root, dict) or not isinstance(benchmarks, list):
        raise shape_wrong(("benchmarks",), "the document has no list of benchmarks", sha256)
    board = Board(Sheet(sha256))
    for place, one in enumerate(benchmarks):
        if not isinstance(one, dict) or not isinstance(one.get("metrics"), dict):
            raise shape_wrong(("benchmarks", place), "a benchmark has no metrics", sha256)
        _benchmark(board, place, one)
    if not board.sheet.results:
        raise shape_wrong(
            ("benchmarks",), "no benchmark has a figure of successful requests", sha256
        )
    board.sheet.warn(
        tell("unit_by_convention: request_latency is in seconds, other latencies say _ms")
    )
    version = word(members_of(root.get("metadata")).get("guidellm_version"))
    return board.sheet.reading("guidellm_report", "report json", version=version)


def _benchmark(board: Board, place: int, one: Mapping[str, Any]) -> None:
    label = _strategy(place, one)
    path: Path = ("benchmarks", place, "metrics")
    for metric, unit in _UNITS.items():
        told = members_of(members_of(one["metrics"].get(metric)).get("successful"))
        where = (*path, metric, "successful")
        name = metric.removesuffix("_ms")
        if count(told.get("count")) == 0:
            continue  # statistics of no request are zeros, and no figures
        for key, stat in _STATS.items():
            board.put((*where, key), told.get(key), name, unit, stat=stat, label=label)
        for key, value in members_of(told.get("percentiles")).items():
            match = _PERCENTILE.fullmatch(key)
            stat = f"p{int(match[1])}" if match else ""
            if stat in _SHOWN:
                at = (*where, "percentiles", key)
                board.put(at, value, name, unit, stat=stat, label=label)
    _totals(board, place, label, one)
    _facts(board, place, one)


def _strategy(place: int, one: Mapping[str, Any]) -> str:
    """The traffic of a benchmark in words; its number where the file does not name it."""
    config, args = members_of(one.get("config")), members_of(one.get("args"))
    found = members_of(config.get("strategy")) or members_of(args.get("strategy"))
    kind = word(found.get("type_"))
    if not kind:
        return f"benchmark {place}"
    told = [
        f"{key} {str(found[key])[:30]}"
        for key in ("rate", "streams", "max_concurrency")
        if found.get(key)
    ]
    return ", ".join([f"{place}: {kind}", *told])


def _totals(board: Board, place: int, label: str, one: Mapping[str, Any]) -> None:
    inner = members_of(one["metrics"].get("request_totals"))
    totals = inner or members_of(one.get("request_totals"))
    path: Path = ("metrics", "request_totals") if inner else ("request_totals",)
    where = ("benchmarks", place, *path)
    ended = totals.get("successful")
    board.put((*where, "successful"), ended, "completed", "requests", stat="total", label=label)
    for key in ("errored", "incomplete"):
        lost = count(totals.get(key))
        if lost:
            board.sheet.warn(
                tell(
                    "requests_failed: {lost} requests {key} ({label}): latencies and rates are of the "
                    "others only",
                    lost=lost,
                    key=key,
                    label=label,
                )
            )


def _facts(board: Board, place: int, one: Mapping[str, Any]) -> None:
    config, worker = members_of(one.get("config")), members_of(one.get("worker"))
    for told, path in (
        (members_of(config.get("backend")).get("model"), ("config", "backend", "model")),
        (worker.get("backend_model"), ("worker", "backend_model")),
    ):
        if word(told) and not {"model.name", "model.path"} & set(board.sheet.facts):
            _evaluations.state_model(board, ("benchmarks", place, *path), told)
    start = one.get("start_time", members_of(one.get("scheduler_metrics")).get("start_time"))
    if "measured_on" not in board.sheet.facts:
        board.state(("benchmarks", place, "start_time"), day_of(start), "measured_on")


MEMBER = Importer(
    name="guidellm_report", title="Reports of GuideLLM (JSON)", accepts=_accepts, read=_read
)
