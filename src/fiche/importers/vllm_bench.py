"""Benchmarks of vLLM: `vllm bench serve`, `throughput` and `latency`, and `benchmark_serving.py` before.

JSON files of versions 0.11.0 and 0.20.2 (`vllm/benchmarks/serve.py`, `throughput.py`, `latency.py`), one
object, or one a line with `--append-result`; and the block that a serving benchmark prints. The server's
version, card and formats stand in none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from fiche.importers import _evaluations, _serving, _serving_block
from fiche.importers._json import looks_like_json
from fiche.importers._refusal import refused
from fiche.importers._results import Board, members_of
from fiche.importers._sheet import Sheet
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_WHAT = "results of a vLLM benchmark"
_SERVE = (b'"request_throughput"', b'"model_id"', b'"tokenizer_id"')
_THROUGHPUT = (b'"elapsed_time"', b'"requests_per_second"', b'"tokens_per_second"')
_LATENCY = (b'"avg_latency"', b'"latencies"', b'"percentiles"')
# A file of SGLang's benchmark has these as well as vLLM's keys.
_SGLANG = b'"total_output_tokens_retokenized"'
_PERCENT = lazy(r"\d{1,3}(?:\.\d{1,3})?")
_FACTS = {
    "tokenizer_id": "tokenizer",
    "endpoint_type": "endpoint",
    "num_prompts": "num_prompts",
    "request_rate": "request_rate",
    "max_concurrency": "max_concurrency",
    "burstiness": "burstiness",
    "tensor_parallel_size": "placement.tensor_parallel",
}


def _accepts(content: bytes, name: str) -> int:
    if looks_like_json(content):
        shapes = (_SERVE, _THROUGHPUT, _LATENCY)
        own = any(all(key in content for key in shape) for shape in shapes)
        return 92 if own and _SGLANG not in content else 0
    if _serving_block.TITLE not in content:
        return 0
    return 82 if any(not block.sglang for block in _serving_block.blocks(content)) else 0


def _read(content: bytes, sha256: str) -> Reading:
    if not looks_like_json(content):
        return _printed(content, sha256)
    sheet, shapes = Sheet(sha256), []
    for board, found in _serving.documents(content, sha256, _WHAT):
        sheet = board.sheet
        shapes.append(_document(board, found))
    if not sheet.results:
        raise refused("F424", f"the file does not hold {_WHAT}", sha256)
    return sheet.reading("vllm_bench", shapes[0] or "serve json")


def _document(board: Board, found: Mapping[str, Any]) -> str:
    if "avg_latency" in found:
        return _latency(board, found)
    if "elapsed_time" in found:
        return _throughput(board, found)
    if "request_throughput" not in found:
        return ""
    label = _serving.traffic(found)
    _serving.put_all(board, found, label, {})
    _serving.failures(board, found, label)
    _evaluations.state_model(board, ("model_id",), found.get("model_id"))
    board.state(("date",), _serving.day_in(found.get("date")), "measured_on")
    for key, fact in _FACTS.items():
        board.state((key,), found.get(key), fact)
    board.sheet.warn(_serving.MEANING)
    return "serve json"


def _throughput(board: Board, found: Mapping[str, Any]) -> str:
    for key, metric, unit, stat in (
        ("requests_per_second", "request_throughput", "requests/s", ""),
        ("tokens_per_second", "total_token_throughput", "tokens/s", ""),
        ("elapsed_time", "duration", "s", "total"),
        ("num_requests", "completed", "requests", "total"),
        ("total_num_tokens", "total_tokens", "tokens", "total"),
    ):
        board.put((key,), found.get(key), metric, unit, stat=stat)
    board.sheet.warn(
        tell("unit_by_convention: elapsed_time is in seconds, which the file does not say")
    )
    board.sheet.warn(
        tell("total_tokens: tokens_per_second counts prompt and output tokens together")
    )
    return "throughput json"


def _latency(board: Board, found: Mapping[str, Any]) -> str:
    board.put(("avg_latency",), found.get("avg_latency"), "batch_latency", "s", stat="mean")
    for key, value in members_of(found.get("percentiles")).items():
        if _PERCENT.fullmatch(key):
            stat = "median" if Decimal(key) == 50 else f"p{key}"
            board.put(("percentiles", key), value, "batch_latency", "s", stat=stat)
    board.sheet.warn(
        tell("unit_by_convention: latencies are in seconds, which the file does not say")
    )
    board.sheet.warn(
        tell(
            "batch_latency: the time of a whole batch; batch, input and output lengths are not "
            "in the file"
        )
    )
    return "latency json"


def _printed(content: bytes, sha256: str) -> Reading:
    own = [block for block in _serving_block.blocks(content) if not block.sglang]
    return _serving_block.printed(own, [""] * len(own), sha256, "vllm_bench", _WHAT)


MEMBER = Importer(
    name="vllm_bench",
    title="Benchmarks of vLLM (JSON, printed block)",
    accepts=_accepts,
    read=_read,
    anchors=(
        *_SERVE,
        *_THROUGHPUT,
        *_LATENCY,
        *_serving_block.ANCHORS,
    ),
    log=True,
)
