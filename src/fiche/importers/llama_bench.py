"""Benchmarks of llama.cpp: `llama-bench` as JSON, JSON Lines, CSV or Markdown.

`tools/llama-bench/llama-bench.cpp`: `avg_ts` and `stddev_ts` are tokens per second with six decimals, in the
Markdown table with two; `pp` is prompt processing, `tg` text generation, `@ d` the depth of the context before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from fiche.importers import _llama_rows as rows
from fiche.importers import _serving
from fiche.importers._json import document, looks_like_json, shape_wrong
from fiche.importers._refusal import refused
from fiche.importers._results import Board, count, word
from fiche.importers._sheet import Sheet
from fiche.kernel.doors import Importer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_WHAT = "results of llama-bench"
_KEYS = (b"avg_ts", b"stddev_ts", b"n_gen", b"build_commit")
_CSV = lazy(rb"\A(?:\xef\xbb\xbf)?build_commit,build_number,[\w,]{1,2000}avg_ts,stddev_ts\r?\n")
_DIGITS = 6
_FACTS = {
    "gpu_info": "device",
    "cpu_info": "cpu",
    "model_type": "model.type",
    "model_filename": "model.file",
    "type_k": "formats.cache_key",
    "type_v": "formats.cache_value",
    "n_batch": "engine.settings.n_batch",
    "n_ubatch": "engine.settings.n_ubatch",
    "n_gpu_layers": "engine.settings.n_gpu_layers",
    "split_mode": "engine.settings.split_mode",
    "flash_attn": "engine.settings.flash_attn",
    "no_kv_offload": "engine.settings.no_kv_offload",
    "backends": "llama.backends",
}


def _accepts(content: bytes, name: str) -> int:
    if looks_like_json(content):
        return 92 if all(key in content for key in _KEYS) else 0
    if _CSV.match(content):
        return 93
    return 90 if rows.HEAD.search(content) else 0


def _read(content: bytes, sha256: str) -> Reading:
    board = Board(Sheet(sha256))
    if looks_like_json(content):
        board, shape = _json_form(content, sha256)
    elif _CSV.match(content):
        shape = "csv"
        for number, line, told in rows.of_csv(content, sha256):
            place = Board(board.sheet, number)
            _test(place, (), told, line)
    else:
        shape = "markdown"
        rows.of_markdown(board.sheet, content)
    sheet = board.sheet
    if not sheet.results:
        raise refused("F424", f"the file does not hold {_WHAT}", sha256)
    sheet.warn(
        tell(
            "tokens_of_one_sequence: rates of one benchmark loop, without sampling and without "
            "other requests"
        )
    )
    build = sheet.facts.get("engine.version")
    return sheet.reading("llama_bench", shape, version=build.value if build else "")


def _json_form(content: bytes, sha256: str) -> tuple[Board, str]:
    if content.lstrip()[:1] == b"[":
        root = document(content, sha256, _WHAT)
        board = Board(Sheet(sha256))
        for place, told in enumerate(root if isinstance(root, list) else ()):
            if not isinstance(told, dict):
                raise shape_wrong((place,), "a test is no object", sha256)
            _test(board, (place,), told, "")
        return board, "json"
    sheet = Sheet(sha256)
    for board, told in _serving.documents(content, sha256, _WHAT):
        sheet = board.sheet
        _test(board, (), told, "")
    return Board(sheet), "jsonl"


def _test(board: Board, path: tuple[int, ...], told: Mapping[str, Any], line: str) -> None:
    """One test; a row of CSV keeps its line as the words of its place."""
    label = _label(told)
    if not label:
        return
    marks = {"model": word(told.get("model_type"))}
    error = told.get("stddev_ts")
    if isinstance(error, int | Decimal) and not isinstance(error, bool):
        marks["std"] = str(error)
    marks = {name: mark for name, mark in marks.items() if mark}
    board.put(
        (*path, "avg_ts"), told.get("avg_ts"), _metric(told), "tokens/s",
        stat="mean", label=label, digits=_DIGITS, marks=marks,
    )  # fmt: skip
    board.state((*path, "build_commit"), "llama.cpp", "engine.name")
    build = told.get("build_number")
    if isinstance(build, int) and build > 0:
        board.state((*path, "build_number"), f"b{build}", "engine.version")
    for key, fact in _FACTS.items():
        board.state((*path, key), told.get(key), fact)
    stamp = word(told.get("test_time"))[:10]
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", stamp) and "measured_on" not in board.sheet.facts:
        board.state((*path, "test_time"), stamp, "measured_on")


def _label(told: Mapping[str, Any]) -> str:
    """`pp512`, `tg128 @ d4096`, `pp512+tg128`, as the program's own table says it."""
    before, after = count(told.get("n_prompt")), count(told.get("n_gen"))
    depth = count(told.get("n_depth")) or 0
    parts = [f"pp{before}"] if before else []
    parts += [f"tg{after}"] if after else []
    return "+".join(parts) + (f" @ d{depth}" if parts and depth else "")


def _metric(told: Mapping[str, Any]) -> str:
    before, after = count(told.get("n_prompt")), count(told.get("n_gen"))
    if before and after:
        return "prompt_and_generation_throughput"
    return "prompt_throughput" if before else "generation_throughput"


MEMBER = Importer(
    name="llama_bench",
    title="Benchmarks of llama.cpp: llama-bench (JSON, JSON Lines, CSV, Markdown)",
    accepts=_accepts,
    read=_read,
    anchors=(b"avg_ts", b"t/s |", "±".encode(), b"build: "),
    log=True,
)
