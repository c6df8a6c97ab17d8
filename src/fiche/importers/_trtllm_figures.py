"""What TensorRT-LLM prints about memory: buffers, the paged cache, and the PyTorch backend's profile."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fiche.importers._figures import GIB, KIB, MIB, about, nearest
from fiche.importers._lines import NUMBER, Line
from fiche.importers._logged import Counter, Refusals, Rule, note
from fiche.importers._sheet import Sheet
from fiche.kernel.piece import Printed
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell

_UNITS = {"B": 1, "K": KIB, "M": MIB, "G": GIB}
_BINARY_LABELS = frozenset({"KB", "MB", "GB"})
_BUFFERS = {
    "executioncontextmemory": "trtllm.execution_context",
    "runtimebuffers": "trtllm.runtime_buffers",
    "decoder": "trtllm.decoder",
}
_MANAGED = Counter("trtllm.tensorrt_managed", "process", "current", "runtime_reported")
_TOTAL = Counter("total_gpu_memory", "device", "total")
_FREE = Counter("device_free", "device", "free")
_KV = Counter("trtllm.kv_cache", "component", "current", "runtime_reported")
_KV_TOKENS = Counter("trtllm.kv_cache_tokens", "process", "capacity", "budget")
_KV_BLOCKS = Counter("trtllm.kv_cache_blocks", "process", "capacity", "budget")
_KV_BUDGET = Counter("trtllm.kv_cache_memory", "process", "capacity", "budget")
_PROFILE_PEAK = Counter("trtllm.profile_peak", "device", "peak")
_PROFILED = {
    "loadingmodelweights(insidetorch)": Counter(
        "trtllm.model_weights", "process_allocator", "current"
    ),
    "loadingmodelweights(outsidetorch)": Counter("trtllm.outside_torch", "device", "current"),
    "duringinference(insidetorch)": Counter(
        "trtllm.activation_peak", "process_allocator", "peak_delta"
    ),
    "outsidetorch(e.g.,NCCLandCUDAgraphs)": Counter("trtllm.outside_torch", "device", "current"),
}


@dataclass(slots=True)
class TrtllmLog:
    """What is known while a log is read."""

    sheet: Sheet
    refusals: Refusals
    shape: str = "trtllm-0.1x"
    version: str = ""
    decimal_label: bool = False

    def see(self, line: Line, counter: Counter, value: Printed, label: str = "") -> None:
        note(self.sheet, line, counter, value, rank=line.speaker.rank, label=label)

    def count(self, line: Line, counter: Counter, number: int, unit: str) -> None:
        note(self.sheet, line, counter, number, rank=line.speaker.rank, unit=unit)

    def figure(self, number: str, label: str) -> Printed:
        """A figure of the helper (two decimals, 1024) or of a line that names binary units itself."""
        self.decimal_label |= label in _BINARY_LABELS
        if label == "B" and "." not in number:
            return exact_bytes(int(number), f"{number} B")
        return nearest(number, f" {label}", _UNITS[label[0]], signed=number.startswith("-"))


def _buffer(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    name = _BUFFERS[re.sub(r"\s", "", match["what"])]
    counter = Counter(name, "component", "current", "runtime_reported")
    log.see(line, counter, log.figure(match["amount"], match["label"]))


def _managed(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    value = about(match["gpu"], " MiB", MIB)
    log.see(line, _MANAGED, value, re.sub(r"\s{1,60}", " ", match["when"]))


def _paged(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    whole = log.figure(match["total"], "GiB")
    log.see(line, _TOTAL, whole)
    log.sheet.total(line, "cuda_total_other", whole, None)
    log.see(line, _FREE, log.figure(match["free"], "GiB"), "before the paged KV cache")


def _cache(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    log.see(line, _KV, log.figure(match["amount"], match["label"]))
    log.count(line, _KV_TOKENS, int(match["tokens"]), "tokens")


def _cache_bytes(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    """Versions before 0.9 print the cache in bytes."""
    log.shape = "trtllm-0.8"
    log.see(line, _KV, exact_bytes(int(match["bytes"]), f"{match['bytes']} bytes"))


def _tokens(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    log.count(line, _KV_TOKENS, int(match["tokens"]), "tokens")


def _blocks(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    log.count(line, _KV_BLOCKS, int(match["blocks"]), "blocks")


def _engine(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    log.sheet.plan(line, match[0], tell("size of a file, not of memory"))


def _profiled(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    log.shape = "trtllm-pytorch"
    counter = _PROFILED[re.sub(r"\s", "", match["what"])]
    log.see(line, counter, log.figure(match["amount"], "GiB"), "memory usage profiling")


def _peak(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    log.shape = "trtllm-pytorch"
    log.see(line, _PROFILE_PEAK, log.figure(match["peak"], "GiB"), "memory usage profiling")
    log.see(line, _KV_BUDGET, log.figure(match["rest"], "GiB"))
    if match["share"]:
        path = "engine.settings.free_gpu_memory_fraction"
        log.sheet.fact(line, path, match["share"])
    if match["total"]:
        whole = log.figure(match["total"], "GiB")
        log.see(line, _TOTAL, whole)
        log.sheet.total(line, "cuda_total_other", whole, None)


def _planned(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    log.see(line, _KV_BUDGET, log.figure(match["rest"], "GiB"), "estimated")


_LABEL = r"(?P<label>[KMG]i?B|B)\b"
RULES: tuple[Rule[TrtllmLog], ...] = (
    Rule(
        "Allocated",
        rf"Allocated (?P<amount>{NUMBER}) {_LABEL} (?:GPU memory )?for"
        r" (?P<what>execution context memory|runtime buffers|decoder)",
        _buffer,
    ),
    Rule(
        "TensorRT-managed",
        r"TensorRT-managed allocation in (?P<when>[A-Za-z ]{4,60}): CPU [+-]?[0-9]{1,9}, GPU [+-]?[0-9]{1,9},"
        r" now: CPU [0-9]{1,9}, GPU (?P<gpu>[0-9]{1,9}) \( MiB \)",
        _managed,
    ),
    Rule(
        "max tokens in paged",
        rf"max tokens in paged kv cache: total: (?P<total>{NUMBER}) GiB, available: (?P<free>{NUMBER}) GiB",
        _paged,
    ),
    Rule(
        "for max tokens",
        rf"Allocated (?P<amount>{NUMBER}) {_LABEL} for max tokens(?: in paged KV cache)?"
        r" \( (?P<tokens>[0-9]{1,15}) \)",
        _cache,
    ),
    Rule("k/v cache", r"Allocate (?P<bytes>[0-9]{1,18}) bytes for k/v cache", _cache_bytes),
    Rule("tokens in paged KV", r"Using (?P<tokens>[0-9]{1,15}) tokens in paged KV cache", _tokens),
    Rule(
        "Max tokens in paged KV",
        r"Max tokens in paged KV cache: (?P<tokens>[0-9]{1,15})\.(?! Allocating)",
        _tokens,
    ),
    Rule(
        "Max tokens in paged KV",
        r"Max tokens in paged KV cache: [0-9]{1,15}\. Allocating (?P<bytes>[0-9]{1,18}) bytes",
        _cache_bytes,
    ),
    Rule(
        "KV cache primary pool",
        r"Number of blocks in KV cache primary pool: (?P<blocks>[0-9]{1,15})",
        _blocks,
        whole=True,
    ),
    Rule("Loaded engine size", rf"Loaded engine size: {NUMBER} [KMG]i?B", _engine),
    Rule(
        "in memory usage profiling",
        r"Memory (?:used after|used|dynamically allocated) (?P<what>loading model weights"
        r" \((?:in|out)side torch\)|during inference \(inside torch\)"
        r"|outside torch \(e\.g\., NCCL and CUDA graphs\)) in memory usage profiling:"
        rf" (?P<amount>{NUMBER}) GiB",
        _profiled,
    ),
    Rule(
        "during memory usage profiling",
        rf"Peak memory during memory usage profiling \(torch \+ non-torch\): (?P<peak>{NUMBER}) GiB, available"
        rf" KV cache memory when calculating max tokens: (?P<rest>{NUMBER}) GiB"
        rf"(?:, fraction is set (?P<share>[0-9.]{{1,20}}), .{{1,60}}device total memory (?P<total>{NUMBER})"
        r" GiB)?",
        _peak,
        whole=True,
    ),
    Rule(
        "max memory in KV cache",
        rf"Estimated max memory in KV cache : (?P<rest>{NUMBER}) GiB",
        _planned,
    ),
)
