"""Benchmarks of SGLang: serving, one batch, one batch of a server, offline throughput.

JSON Lines of versions 0.4.6 and 0.5.23 (`sglang/bench_*.py`, `sglang/benchmark/`), appended run by run; and
the block that a serving benchmark prints. `bench_one_batch_server` rounds latencies to four decimals and rates
to two; the others write numbers in full. -1 stands for what was not measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from fiche.importers import _evaluations, _serving, _serving_block
from fiche.importers._json import looks_like_json
from fiche.importers._refusal import refused
from fiche.importers._results import Board, members_of, word
from fiche.importers._sheet import Sheet
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_WHAT = "results of an SGLang benchmark"
_SERVING = (b'"total_output_tokens_retokenized"', b'"request_throughput"')
_BATCH = (b'"batch_size"', b'"input_len"', b'"output_len"', b'"overall_throughput"')
_OFFLINE = (b'"successful_requests"', b'"total_latency"', b'"total_throughput"')
_ROUNDED_TIME, _ROUNDED_RATE = 4, 2
# Key: (metric, unit, statistic, decimals where the program rounds).
_ONE_BATCH: Mapping[str, tuple[str, str, str]] = {
    "prefill_latency": ("prefill_latency", "s", ""),
    "prefill_throughput": ("prefill_throughput", "tokens/s", ""),
    "median_decode_latency": ("decode_latency", "s", "median"),
    "median_decode_throughput": ("decode_throughput", "tokens/s", "median"),
    "total_latency": ("batch_latency", "s", "total"),
    "overall_throughput": ("total_token_throughput", "tokens/s", ""),
}
_SERVER: Mapping[str, tuple[str, str, str]] = {
    "latency": ("batch_latency", "s", "total"),
    "input_throughput": ("input_throughput", "tokens/s", ""),
    "output_throughput": ("output_throughput", "tokens/s", ""),
    "overall_throughput": ("total_token_throughput", "tokens/s", ""),
    "last_ttft": ("last_ttft", "s", ""),
    "last_gen_throughput": ("last_gen_throughput", "tokens/s", ""),
}
_WHOLE_RUN: Mapping[str, tuple[str, str, str]] = {
    "total_latency": ("duration", "s", "total"),
    "successful_requests": ("completed", "requests", "total"),
    "total_input_tokens": ("total_input_tokens", "tokens", "total"),
    "total_output_tokens": ("total_output_tokens", "tokens", "total"),
    "request_throughput": ("request_throughput", "requests/s", ""),
    "input_throughput": ("input_throughput", "tokens/s", ""),
    "output_throughput": ("output_throughput", "tokens/s", ""),
    "total_throughput": ("total_token_throughput", "tokens/s", ""),
    "last_gen_throughput": ("last_gen_throughput", "tokens/s", ""),
}
_FACTS = {
    "dataset_name": "dataset",
    "request_rate": "request_rate",
    "max_concurrency": "max_concurrency",
    "random_input_len": "input_tokens_asked",
    "random_output_len": "output_tokens_asked",
    "random_range_ratio": "random_range_ratio",
}


def _accepts(content: bytes, name: str) -> int:
    if looks_like_json(content):
        shapes = (_SERVING, _BATCH, _OFFLINE)
        return 92 if any(all(key in content for key in shape) for shape in shapes) else 0
    if _serving_block.TITLE not in content:
        return 0
    return 82 if any(block.sglang for block in _serving_block.blocks(content)) else 0


def _read(content: bytes, sha256: str) -> Reading:
    if not looks_like_json(content):
        return _printed(content, sha256)
    sheet, shapes = Sheet(sha256), []
    for board, found in _serving.documents(content, sha256, _WHAT):
        sheet = board.sheet
        shapes.append(_document(board, found))
    if not sheet.results:
        raise refused("F424", f"the file does not hold {_WHAT}", sha256)
    return sheet.reading("sglang_bench", next(filter(None, shapes)))


def _document(board: Board, found: Mapping[str, Any]) -> str:
    if "total_output_tokens_retokenized" in found:
        return _served(board, found)
    if "successful_requests" in found:
        _put(board, found, _WHOLE_RUN, "", rounded=False)
        board.state(("backend",), found.get("backend"), "endpoint")
        shape = "offline throughput"
    elif "prefill_latency" in found:
        _put(board, found, _ONE_BATCH, _batch(found), rounded=False)
        shape = "one batch"
    elif "latency" in found:
        _put(board, found, _SERVER, _batch(found), rounded=True)
        shape = "one batch, server"
    else:
        return ""
    board.sheet.warn(
        tell("unit_by_convention: latencies are in seconds, which the file does not say")
    )
    return shape


def _served(board: Board, found: Mapping[str, Any]) -> str:
    label = _serving.traffic(found)
    _serving.put_all(board, found, label, {})
    _serving.failures(board, found, label)
    if word(found.get("backend")).startswith("sglang"):
        board.state(("backend",), "sglang", "engine.name")
        server = members_of(found.get("server_info"))
        board.state(("server_info", "version"), server.get("version"), "engine.version")
        path = ("server_info", "model_path")
        _evaluations.state_model(board, path, server.get("model_path"))
        _evaluations.state_format(board, ("server_info", "dtype"), server.get("dtype"))
    else:
        board.state(("backend",), found.get("backend"), "endpoint")
    for key, fact in _FACTS.items():
        board.state((key,), found.get(key), fact)
    board.sheet.warn(_serving.MEANING)
    return "serving"


def _put(
    board: Board,
    found: Mapping[str, Any],
    meanings: Mapping[str, tuple[str, str, str]],
    label: str,
    *,
    rounded: bool,
) -> None:
    for key, (metric, unit, stat) in meanings.items():
        value = found.get(key)
        if isinstance(value, int | Decimal) and value < 0:
            board.sheet.warn(
                tell("not_measured: {key} is -1, the program's word for not measured", key=key)
            )
            continue
        digits = None if not rounded else _ROUNDED_TIME if unit == "s" else _ROUNDED_RATE
        board.put((key,), value, metric, unit, stat=stat, label=label, digits=digits)


def _batch(found: Mapping[str, Any]) -> str:
    told = (found.get(key) for key in ("batch_size", "input_len", "output_len"))
    batch, before, after = (str(value)[:20] for value in told)
    name = word(found.get("run_name"))[:60]
    return f"{name + ': ' if name else ''}batch {batch}, {before} in, {after} out"


def _printed(content: bytes, sha256: str) -> Reading:
    own = [block for block in _serving_block.blocks(content) if block.sglang]
    labels = [_asked(block) for block in own]
    return _serving_block.printed(own, labels, sha256, "sglang_bench", _WHAT)


def _asked(block: _serving_block.Block) -> str:
    """The load that the block says was asked for."""
    told = {each.label: each.value for each in block.lines}
    return _serving.traffic(
        {
            "request_rate": told.get("Traffic request rate"),
            "max_concurrency": told.get("Max request concurrency"),
        }
    )


MEMBER = Importer(
    name="sglang_bench",
    title="Benchmarks of SGLang (JSON Lines, printed block)",
    accepts=_accepts,
    read=_read,
    anchors=(
        *_SERVING,
        *_BATCH,
        *_OFFLINE,
        *_serving_block.ANCHORS,
    ),
    log=True,
)
