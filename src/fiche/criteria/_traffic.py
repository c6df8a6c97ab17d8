"""The load that a benchmark's figure was taken under, as its own file says it (A3, D6).

Benchmarks print totals and not each request, so a length is a mean: of what was executed, never of what was
asked for. The names of loads are those that the importers give them: `request rate inf, concurrency 16`
(vLLM, SGLang), `batch 8, 512 in, 128 out` (SGLang), `0: concurrent, streams 16` (GuideLLM), `tg128 @ d4096`
(llama-bench).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from fiche.kernel.figure import Number
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Piece, Result
from fiche.kernel.record import record

CONCURRENCY, RATE = "concurrent_requests", "request_rate"
_TRAFFIC = lazy(r"(?:request rate (?P<rate>[^,]+))?(?:, )?(?:concurrency (?P<many>\d+))?")
_BATCH = lazy(r"(?:.*: )?batch (?P<many>\d+), (?P<before>\d+) in, (?P<after>\d+) out")
_STRATEGY = lazy(r"\d+: (?P<kind>[a-z_]+)(?P<told>(?:, \w+ [^,]+)*)")
_LLAMA = lazy(r"(?:pp(?P<before>\d+))?\+?(?:tg(?P<after>\d+))?(?: @ d(?P<depth>\d+))?")
_PLAIN = lazy(r"[0-9]{1,18}(?:\.[0-9]{1,18})?")
# Means that files print themselves, and totals over requests that ended.
_MEANS = {
    "prompt_tokens": ("prompt_token_count", "input_sequence_length"),
    "new_tokens": ("output_token_count", "output_sequence_length"),
}
_TOTALS = {"prompt_tokens": "total_input_tokens", "new_tokens": "total_output_tokens"}


@record
class Ran:
    """One dimension that a file prints of a load, as wide as its printing; `mean` of several requests."""

    low: Number
    high: Number
    mean: bool = False


def traffic(piece: Piece, result: Result) -> dict[str, Ran]:
    """Dimensions of the load under which one result was taken: lengths, concurrency, rate."""
    beside = _beside(piece, result)
    named = dict(_named(result.label))
    ended = beside.get(("completed", "total"))
    if ended is not None and CONCURRENCY in named and ended.high < named[CONCURRENCY].low:
        del named[CONCURRENCY]  # so few requests never ran beside each other
    return {**dict(_lengths(beside)), **named}


def _lengths(beside: Mapping[tuple[str, str], Result]) -> Iterator[tuple[str, Ran]]:
    ended = beside.get(("completed", "total"))
    for name, total in _TOTALS.items():
        tokens = beside.get((total, "total"))
        if tokens is not None and ended is not None and ended.low > 0:
            yield (
                name,
                Ran(
                    low=Fraction(tokens.low) / ended.high,
                    high=Fraction(tokens.high) / ended.low,
                    mean=True,
                ),
            )
    for name, metrics in _MEANS.items():
        for told in (beside.get((metric, "mean")) for metric in metrics):
            if told is not None:
                yield name, Ran(low=told.low, high=told.high, mean=True)


def _beside(piece: Piece, result: Result) -> dict[tuple[str, str], Result]:
    """What the same run printed: of one label and, in JSON Lines, of one line; what stands twice is out."""
    found: dict[tuple[str, str], list[Result]] = {}
    for one in piece.reading.results:
        in_json = one.pointer.path is not None
        if one.label == result.label and (not in_json or one.pointer.line == result.pointer.line):
            found.setdefault((one.metric, one.stat), []).append(one)
    return {name: told[0] for name, told in found.items() if len(told) == 1}


def _named(label: str) -> Iterator[tuple[str, Ran]]:
    match = _BATCH.fullmatch(label)
    if match:
        named = {CONCURRENCY: "many", "prompt_tokens": "before", "new_tokens": "after"}
        yield from ((name, _exact(match[part])) for name, part in named.items())
        return
    match = _STRATEGY.fullmatch(label)
    if match:
        yield from _strategy(match["kind"], match["told"])
        return
    match = _LLAMA.fullmatch(label)
    if match and (match["before"] or match["after"]):
        yield from _test(match.groupdict())
        return
    match = _TRAFFIC.fullmatch(label)
    if match and label:
        yield from _asked(match["rate"] or "inf", match["many"] or "")


def _asked(rate: str, many: str) -> Iterator[tuple[str, Ran]]:
    """With a rate that holds requests back, a limit of concurrency is no concurrency that was reached."""
    if _PLAIN.fullmatch(rate):
        yield RATE, _exact(rate)
    elif many:
        yield CONCURRENCY, _exact(many)


def _strategy(kind: str, told: str) -> Iterator[tuple[str, Ran]]:
    parts = dict(part.split(" ", 1) for part in told.split(", ") if part)
    if kind == "synchronous":
        yield CONCURRENCY, _exact("1")
    elif kind == "concurrent" and _PLAIN.fullmatch(parts.get("streams", "")):
        yield CONCURRENCY, _exact(parts["streams"])
    elif kind in ("constant", "poisson", "async") and _PLAIN.fullmatch(parts.get("rate", "")):
        yield RATE, _exact(parts["rate"])


def _test(told: Mapping[str, str | None]) -> Iterator[tuple[str, Ran]]:
    """One sequence alone; what stands in the context before a generation is its prompt."""
    yield CONCURRENCY, _exact("1")
    if not (told["before"] and told["depth"]):  # a prompt behind others is neither alone
        yield "prompt_tokens", _exact(told["before"] or told["depth"] or "0")
    if told["after"]:
        yield "new_tokens", _exact(told["after"])


def _exact(digits: str) -> Ran:
    return Ran(low=Fraction(digits), high=Fraction(digits))
