"""Benchmarks of serving engines, as vLLM and SGLang both write them: keys, units, what failed.

Keys of `vllm/benchmarks/serve.py` (0.11, 0.20; `benchmark_serving.py` before) and of
`sglang/bench_serving.py` (0.4.6, 0.5.23). A key that ends in `_ms` is in milliseconds; `duration` in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from fiche.importers import _json
from fiche.importers._refusal import refused
from fiche.importers._results import Board, count, word
from fiche.importers._sheet import Sheet
from fiche.kernel.lazy import lazy
from fiche.kernel.said import listed, tell

_TIMED = lazy(r"(mean|median|std|max|p\d{1,3}(?:\.\d{1,3})?)_(ttft|tpot|itl|e2el|e2e_latency)_ms")
# Key: unit. What the program prints of a whole run has no statistic of its own.
RATES: Mapping[str, str] = {
    "request_throughput": "requests/s",
    "request_goodput": "requests/s",
    "request_goodput:": "requests/s",
    "input_throughput": "tokens/s",
    "output_throughput": "tokens/s",
    "total_throughput": "tokens/s",
    "total_token_throughput": "tokens/s",
    "max_output_tokens_per_s": "tokens/s",
    "duration": "s",
    "completed": "requests",
    "failed": "requests",
    "total_input_tokens": "tokens",
    "total_output_tokens": "tokens",
    "total_output_tokens_retokenized": "tokens",
    "max_concurrent_requests": "requests",
    "concurrency": "requests",
    "accept_length": "tokens",
}
_PEAKS = frozenset({"max_output_tokens_per_s", "max_concurrent_requests"})
_STAMP = lazy(r"(\d{4})(\d{2})(\d{2})-\d{6}")


def documents(content: bytes, sha256: str, what: str) -> Iterator[tuple[Board, dict[str, Any]]]:
    """Each JSON object of a file with one, or with one a line, and a board for it; one sheet for all.

    Raises:
        Refused: the file is no JSON, or breaks off (F428), or holds no object (F424).
    """
    sheet, found = Sheet(sha256), 0
    try:
        whole = _json.value_of(content)
    except _json.NotJsonError as error:
        lines = list(_json.records(content))
        broken = _unread(content, lines)
        if not lines or broken:
            raise _json.not_json(error, sha256, what) from None
        for number, value in lines:
            if isinstance(value, dict):
                found += 1
                yield Board(sheet, number), value
    else:
        if isinstance(whole, dict):
            found += 1
            yield Board(sheet), whole
    if not found:
        raise refused("F424", f"the file does not hold {what}", sha256)


def _unread(content: bytes, lines: list[tuple[int, object]]) -> bool:
    """A line that begins an object and is none was cut: the file is not whole."""
    begun = sum(line.lstrip().startswith(b"{") for line in content.split(b"\n"))
    return begun != len(lines)


def put_all(board: Board, found: Mapping[str, Any], label: str, marks: Mapping[str, Any]) -> None:
    """Every figure of a serving benchmark."""
    for key, value in found.items():
        match = _TIMED.fullmatch(key)
        if match:
            metric = {"e2e_latency": "e2el"}.get(match[2], match[2])
            board.put((key,), value, metric, "ms", stat=match[1], label=label, marks=marks)
        elif key in RATES and not isinstance(value, list | dict):
            stat = "max" if key in _PEAKS else "total" if RATES[key] in _TOTALS else ""
            name = key.rstrip(":")
            board.put((key,), value, name, RATES[key], stat=stat, label=label, marks=marks)


_TOTALS = frozenset({"tokens", "requests", "s"})


def failures(board: Board, found: Mapping[str, Any], label: str) -> None:
    """Requests that failed are in no latency: a figure of those that succeeded only."""
    asked, ended = count(found.get("num_prompts")), count(found.get("completed"))
    errors = found.get("errors")
    lost = count(found.get("failed"))
    if lost is None and isinstance(errors, list):
        lost = sum(bool(word(each)) for each in errors)
    if lost is None and asked is not None and ended is not None:
        lost = max(0, asked - ended)
    if lost:
        of = "" if asked is None else f" of {asked}"
        where = f" ({label})" if label else ""
        board.sheet.warn(
            tell(
                "requests_failed: {lost}{of} requests failed{where}: latencies and rates are of the "
                "others only",
                lost=lost,
                of=of,
                where=where,
            )
        )


def traffic(found: Mapping[str, Any]) -> str:
    """What tells one run of a file from another: the rate and the concurrency that were asked."""
    told = []
    for key in ("request_rate", "max_concurrency"):
        value = found.get(key)
        if isinstance(value, int | str | Decimal) and not isinstance(value, bool):
            said = str(value)[:40]
            rated = key == "request_rate"
            told.append(
                tell("request rate {rate}", rate=said)
                if rated
                else tell("concurrency {many}", many=said)
            )
    return listed(told)


def day_in(stamp: object) -> str:
    """The day of a stamp such as `20261103-101500`."""
    match = _STAMP.fullmatch(word(stamp))
    return f"{match[1]}-{match[2]}-{match[3]}" if match else ""


MEANING = tell(
    "latency_terms: TTFT is the time to the first token, TPOT the time per output token "
    "without the first, ITL the time between tokens, E2EL the whole request"
)
