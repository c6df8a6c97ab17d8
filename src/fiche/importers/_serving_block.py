"""The block that vLLM's and SGLang's serving benchmarks print: `Serving Benchmark Result`.

Labels stand in 40 columns, then a figure with two decimals or a whole number. SGLang's block says its
backend first; vLLM's does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from fiche.importers._refusal import refused
from fiche.importers._results import figure
from fiche.importers._serving import MEANING
from fiche.importers._sheet import Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

TITLE = b"Serving Benchmark Result"
_HEAD = lazy(rb"={3,60} {1,4}Serving Benchmark Result {1,4}={3,60}")
_LINE = lazy(rb"([A-Z][A-Za-z0-9 .]{1,40}(?: \((?:s|ms|req/s|tok/s)\))?): {1,40}(\S{1,40}) *$")
_TIMED = lazy(
    r"(Mean|Median|Std|Max|P\d{1,3}(?:\.\d{1,3})?) (TTFT|TPOT|ITL|E2EL|E2E Latency) \(ms\)"
)
_LABELS: Mapping[str, tuple[str, str, str]] = {
    "successful requests": ("completed", "requests", "total"),
    "failed requests": ("failed", "requests", "total"),
    "benchmark duration (s)": ("duration", "s", "total"),
    "total input tokens": ("total_input_tokens", "tokens", "total"),
    "total generated tokens": ("total_output_tokens", "tokens", "total"),
    "total generated tokens (retokenized)": ("total_output_tokens_retokenized", "tokens", "total"),
    "request throughput (req/s)": ("request_throughput", "requests/s", ""),
    "request goodput (req/s)": ("request_goodput", "requests/s", ""),
    "input token throughput (tok/s)": ("input_throughput", "tokens/s", ""),
    "output token throughput (tok/s)": ("output_throughput", "tokens/s", ""),
    "total token throughput (tok/s)": ("total_token_throughput", "tokens/s", ""),
    "peak output token throughput (tok/s)": ("max_output_tokens_per_s", "tokens/s", "max"),
    "peak concurrent requests": ("max_concurrent_requests", "requests", "max"),
    "concurrency": ("concurrency", "requests", ""),
}
_MOST_LINES = 80
_WHOLE = lazy(r"\d{1,30}")
_DECIMAL = lazy(r"\d{1,30}\.\d{1,12}")


class Told(NamedTuple):
    """One line of a block: its label, what stands behind it, its number and text."""

    label: str
    value: str
    line: int
    text: str


class Block(NamedTuple):
    """One printed block; `sglang` is True where it says its backend."""

    lines: tuple[Told, ...]
    sglang: bool


# The heading of the block, and what stands in its lines.
ANCHORS = (b"Serving Benchmark Result", b"requests:", b"/s):", b"ms):")


def blocks(content: bytes) -> Iterator[Block]:
    """Every block of a text, in order."""
    lines = content.split(b"\n") if TITLE in content else []
    starts = [place for place, line in enumerate(lines) if _HEAD.search(line[:2000])]
    for start in starts:
        found = []
        for place in range(start + 1, min(start + _MOST_LINES, len(lines))):
            line = lines[place].rstrip()[-400:]
            if line.endswith(b"=" * 20):
                break
            match = _LINE.search(line)
            if match:
                label, value = (part.decode("utf-8", "replace") for part in match.groups())
                found.append(Told(label, value, place + 1, line.decode("utf-8", "replace").strip()))
        yield Block(tuple(found), any(told.label == "Backend" for told in found))


def printed(
    own: Sequence[Block], labels: Sequence[str], sha256: str, kind: str, what: str
) -> Reading:
    """The reading of a program's blocks; one of several without a label goes by its place.

    Raises:
        Refused: they hold no figure (F424); `what` names what was sought.
    """
    sheet = Sheet(sha256)
    for place, (block, label) in enumerate(zip(own, labels, strict=True), 1):
        put_block(sheet, block, label or (f"block {place}" if len(own) > 1 else ""))
    if not sheet.results:
        raise refused("F424", f"the file does not hold {what}", sha256)
    sheet.warn(MEANING)
    return sheet.reading(kind, "printed block")


def put_block(sheet: Sheet, block: Block, label: str) -> None:
    """Every figure of a block; whole numbers are counts, decimals are rounded to two digits."""
    for told in block.lines:
        metric, unit, stat = _meaning(told.label)
        if not metric:
            continue
        whole = _WHOLE.fullmatch(told.value) is not None
        if not (whole or _DECIMAL.fullmatch(told.value)):
            continue
        if metric == "failed" and told.value != "0":
            sheet.warn(
                tell(
                    "requests_failed: {value} requests failed: latencies and rates are of the others only",
                    value=told.value,
                )
            )
        at = Pointer(sha256=sheet.sha256, line=told.line, text=told.text)
        digits = None if whole else 2
        number = Decimal(told.value)
        sheet.results.append(
            figure(at, told.value, number, metric, unit, stat=stat, label=label, digits=digits)
        )


def _meaning(label: str) -> tuple[str, str, str]:
    match = _TIMED.fullmatch(label)
    if match:
        metric = {"E2E Latency": "e2el"}.get(match[2], match[2].casefold())
        return metric, "ms", match[1].casefold()
    return _LABELS.get(label.casefold(), ("", "", ""))
