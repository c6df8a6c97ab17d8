"""What SGLang prints about memory while it starts (evidence_formats 6.2).

A line has a title (`Load weight end`), then fields in an order that changed between versions: each field is
read by its own name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fiche.importers._figures import GIB, grouped, nearest
from fiche.importers._lines import NUMBER, Line, spaced
from fiche.importers._logged import Counter, Refusals, Rule, note
from fiche.importers._logged_facts import compute_format, format_word
from fiche.importers._sheet import Sheet
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed
from fiche.kernel.said import tell

_GB = 10**9
_FREE = Counter("device_free", "device", "free")
_WEIGHTS = Counter("sglang.weights", "device", "delta")
_GRAPHS = Counter("sglang.cuda_graphs", "device", "delta")
_DISTRIBUTED = Counter("sglang.distributed", "device", "delta")
_CACHES = {
    "K": Counter("sglang.k_cache", "component", "current", "runtime_reported"),
    "V": Counter("sglang.v_cache", "component", "current", "runtime_reported"),
    "KV": Counter("sglang.kv_cache", "component", "current", "runtime_reported"),
}
_SWA = Counter("sglang.swa_kv_pool", "component", "current", "runtime_reported")
_TOKENS = Counter("sglang.kv_cache_tokens", "process", "capacity", "budget")
_MAX_TOKENS = Counter("sglang.max_total_num_tokens", "process", "capacity", "budget")
_HOST = Counter("sglang.host_kv_cache", "host_process", "current", "runtime_reported")


@dataclass(slots=True)
class SglangLog:
    """What is known while a log is read."""

    sheet: Sheet
    refusals: Refusals
    backend: str = "cuda"
    version: str = ""
    shape: str = "sglang-0.4"
    device_figures: bool = False
    host_figures: bool = False
    differences: bool = False

    @classmethod
    def of(cls, sha256: str) -> SglangLog:
        """The state at the beginning of a log."""
        sheet = Sheet(sha256)
        return cls(sheet=sheet, refusals=Refusals(sheet))

    def see(self, line: Line, counter: Counter, value: Printed, label: str = "") -> None:
        """A figure of the rank that printed the line."""
        note(self.sheet, line, counter, value, rank=line.speaker.rank, label=label)


def gb(number: str, unit: int = GIB, label: str = " GB") -> Printed:
    """A figure as SGLang rounds it, to two decimals; differences can be negative."""
    return nearest(number, label, unit, 2, signed=number.startswith("-"))


def _step(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    """One line of the start: what is free after it, what it took, in either order."""
    title, rest = match["title"], match["rest"]
    usage, free = _USAGE.search(rest), _AVAILABLE.search(rest)
    log.device_figures = True
    if usage is not None:
        log.differences = True
        log.see(line, _took(title), gb(usage[1]), title)
    if free is not None:
        log.see(line, _FREE, gb(free[1]), title)
    kind = _DTYPE.search(rest)
    if kind is not None and title.startswith("Load weight"):
        compute_format(log.sheet, line, kind[1])
    if "elapsed=" in rest:
        log.shape = "sglang-0.5"


def _untitled(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    """Free memory in a line of any other title."""
    if _KNOWN.search(line.text) is None:
        log.device_figures = True
        title = line.text[: match.start()].partition(".")[0].strip()
        log.see(line, _FREE, gb(match["free"]), title[:80])


_KNOWN = lazy(
    r"Load weight|Memory pool end|Capture |Init torch distributed|Memory baseline|KV [Cc]ache"
)
_USAGE = spaced(rf"mem usage=({NUMBER}) GB")
_AVAILABLE = spaced(rf"avail mem=({NUMBER}) GB")
_DTYPE = lazy(r"\bdtype[=:]\s{0,9}([\w.]{1,40})")


def _took(title: str) -> Counter:
    if title.startswith("Load weight"):
        return _WEIGHTS
    if "graph" in title.lower():
        return _GRAPHS
    return _DISTRIBUTED


def _capturing(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    log.device_figures = True
    log.see(line, _FREE, gb(match["free"]), f"{match['title']} ({match['what'].strip()})")


def _cache(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    rest = match["rest"]
    if "upper bound" in match["state"]:
        log.sheet.plan(
            line, match[0].strip(), tell("addresses set apart; no memory is behind them yet")
        )
        return
    log.device_figures = True
    draft = match["draft"].strip()
    for which, number in _PART.findall(rest):
        log.see(line, _CACHES[which], gb(number), draft)
    free = _AVAILABLE.search(rest)
    if free is not None:
        log.see(line, _FREE, gb(free[1]), "KV cache allocated")
    tokens = _COUNT.search(rest)
    if tokens is not None:
        number, rank = grouped(tokens[1]), line.speaker.rank
        note(log.sheet, line, _TOKENS, number, unit="tokens", rank=rank, label=draft)
    kind = _DTYPE.search(rest)
    known = format_word(kind[1]) if kind is not None and not draft else None
    if known is not None:
        log.sheet.fact(line, "formats.cache", known)


_PART = spaced(rf"\b(KV|K|V) size: ({NUMBER}) GB")
_COUNT = spaced(r"#tokens: ([0-9,]{1,20}[0-9])")


def _mamba(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    log.device_figures = True
    for name, number in _STATE.findall(match["rest"]):
        counter = Counter(f"sglang.{name}", "component", "current", "runtime_reported")
        log.see(line, counter, gb(number, label="GB"))


_STATE = spaced(rf"\b([a-z][a-z_]{{2,40}}) size: ({NUMBER}) GB")


def _window_pool(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    log.device_figures = True
    log.see(line, _SWA, gb(match["pool"]))


def _summary(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    """The scheduler's last line before it serves."""
    rank, tokens = line.speaker.rank, int(match["tokens"])
    note(log.sheet, line, _MAX_TOKENS, tokens, unit="tokens", rank=rank)
    rest = match["rest"]
    length = re.search(r"\bcontext_len=([0-9]{1,9})", rest)
    if length is not None:
        log.sheet.fact(line, "engine.settings.context_length", length[1])
    free = _LEFT.search(rest)
    if free is not None:
        log.device_figures = True
        log.see(line, _FREE, gb(free[1]), "available_gpu_mem")


_LEFT = spaced(rf"available_gpu_mem=({NUMBER}) GB")


def _host(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    log.host_figures = True
    log.see(line, _HOST, gb(match["amount"], _GB), match["what"].strip())


def _pool_full(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    reason = tell(
        "the cache's pool was full and requests went back to the queue: no lack of device memory"
    )
    log.sheet.plan(line, match[0], reason)


_FIELD = rf"(?:mem usage|avail mem)={NUMBER} GB"
_FIELDS = rf"(?P<rest>[.,:].{{0,400}}?{_FIELD}(?:[.,;]? {_FIELD})?)"
RULES: tuple[Rule[SglangLog], ...] = (
    Rule("Load weight", rf"(?P<title>Load weight (?:begin|end)){_FIELDS}", _step, whole=True),
    Rule("Memory pool", rf"(?P<title>Memory pool end){_FIELDS}", _step, whole=True),
    Rule(
        "Capture ",
        rf"(?P<title>Capture [A-Za-z _()0-9-]{{2,60}}? (?:begin|end)(?: \([^)]{{1,20}}\))?){_FIELDS}",
        _step,
        whole=True,
    ),
    Rule(
        "Init torch distributed",
        rf"(?P<title>Init torch distributed (?:begin|ends)){_FIELDS}",
        _step,
        whole=True,
    ),
    Rule("Memory baseline", rf"(?P<title>Memory baseline taken){_FIELDS}", _step, whole=True),
    Rule("avail mem=", rf"avail mem=(?P<free>{NUMBER}) GB", _untitled),
    Rule(
        "avail_mem=",
        rf"(?P<title>Capturing [a-z ]{{3,40}}) \((?P<what>(?:\w{{1,20}}=[0-9]{{1,9}} )?)"
        rf"avail_mem=(?P<free>{NUMBER}) GB",
        _capturing,
    ),
    Rule(
        ("KV Cache ", "KV cache alloc", "KV cache pool alloc"),
        r"(?P<draft>(?:[Dd]raft )?)KV [Cc]ache(?: pool)? (?P<state>is allocated|allocated|VA upper bound)\."
        rf"(?P<rest>.{{0,200}}?(?:KV|V) size: {NUMBER} GB(?:, avail mem={NUMBER} GB)?)",
        _cache,
        whole=True,
    ),
    Rule(
        "Mamba Cache is allocated",
        rf"Mamba Cache is allocated\.(?P<rest>.{{0,600}}size: {NUMBER} GB)",
        _mamba,
        whole=True,
    ),
    Rule("SWAKVPool mem usage", rf"SWAKVPool mem usage: (?P<pool>{NUMBER}) GB", _window_pool),
    Rule(
        "max_total_num_tokens=",
        rf"\bmax_total_num_tokens=(?P<tokens>[0-9]{{1,15}}),(?P<rest>.{{0,300}}?context_len=[0-9]{{1,9}}"
        rf"(?:, available_gpu_mem={NUMBER} GB)?)",
        _summary,
        whole=True,
    ),
    Rule(
        "host memory",
        rf"Allocating (?P<what>(?:[A-Za-z][^.]{{0,120}}?, )?)(?P<amount>{NUMBER}) GB host memory",
        _host,
    ),
    Rule(
        "#retracted_reqs", r"(?:KV cache pool is full|Decode out of memory happened)\.", _pool_full
    ),
)
