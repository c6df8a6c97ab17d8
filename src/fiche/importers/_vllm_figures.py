"""What vLLM prints about memory while it starts: measured by its profiler, or planned from a setting.

Measured: torch's allocator over loading and profiling, free and total memory of the device (cudaMemGetInfo).
Planned: everything that follows from gpu_memory_utilization, and the estimate of CUDA graphs.
"""

from __future__ import annotations

import re
from fractions import Fraction

from fiche.importers._figures import grouped
from fiche.importers._lines import GROUPED, NUMBER, Line, spaced
from fiche.importers._logged import Counter, Rule, gib, note
from fiche.importers._vllm_speaker import VllmLog
from fiche.kernel.lazy import lazy
from fiche.kernel.said import tell

_WEIGHTS = Counter("vllm.model_weights", "process_allocator", "delta")
_TOTAL = Counter("total_gpu_memory", "device", "total")
_FREE = Counter("device_free", "device", "free")
_NON_TORCH = Counter("vllm.non_torch_memory", "device", "delta")
_CONSUMED = Counter("vllm.consumed_memory", "device", "delta")
_ACTIVATIONS = Counter("vllm.activation_peak", "process_allocator", "peak_delta")
_TORCH_PEAK = Counter("vllm.torch_peak", "process_allocator", "peak")
_DEVICE_USED = Counter("vllm.device_used", "device", "current")
_GRAPHS = Counter("vllm.cuda_graphs", "device", "delta")
_GRAPHS_ESTIMATE = Counter("vllm.cuda_graphs_estimate", "device", "delta", "estimated")
KV_CACHE = Counter("vllm.kv_cache_memory", "process", "capacity", "budget")
KV_TOKENS = Counter("vllm.kv_cache_tokens", "process", "capacity", "budget")
_BLOCKS = Counter("vllm.gpu_blocks", "process", "capacity", "budget")
_CONCURRENCY = Counter("vllm.max_concurrency", "process", "capacity", "budget")


def _loaded(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.decimal_label |= match["label"] == "GB"
    log.forms.add("memory" if match["memory"] else match["words"].split()[0])
    value = gib(match["weights"], f" {match['label']}")
    log.see(line, _WEIGHTS, value, f"{match['words']} took")


def _total(log: VllmLog, line: Line, number: str, label: str) -> None:
    """The total of a device, once a value: each worker prints that of its own."""
    if number not in log.totals:
        log.totals.add(number)
        value = gib(number, label)
        note(log.sheet, line, _TOTAL, value)
        log.sheet.total(log.sheet.place(line), "cuda_total_other", value, None)


def _instance(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    _total(log, line, match["total"], "GiB")
    log.sheet.plan(line, match["budget"], tell("a budget: the device's total times a setting"))
    log.forms.add("instance")


def _profile(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.see(line, _WEIGHTS, gib(match["weights"], "GiB"), "model weights take")
    log.see(line, _NON_TORCH, gib(match["outside"], "GiB"))
    log.see(line, _ACTIVATIONS, gib(match["peak"], "GiB"))
    log.see(line, KV_CACHE, gib(match["rest"], "GiB"))


_RESULTS = {
    "initial_memory_usage": _DEVICE_USED,
    "peak_torch_memory": _TORCH_PEAK,
    "memory_usage_post_profile": _DEVICE_USED,
    "non_torch_memory": _NON_TORCH,
    "kv_cache_size": KV_CACHE,
}
_RESULT = lazy(r"(\w{1,40})\s{0,9}=\s{0,9}(" + NUMBER + r")\s{0,9}GiB")


def _results(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    """0.6.4: all of the profile as `name=figure`."""
    log.forms.add("instance")
    for name, number in _RESULT.findall(match["results"]):
        if name == "total_gpu_memory":
            _total(log, line, number, "GiB")
        elif name in _RESULTS:
            log.see(line, _RESULTS[name], gib(number, "GiB"), name)


def _repr(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    """The profiler's own summary (0.9 on, at level debug)."""
    label = "memory profiling"
    log.see(line, _ACTIVATIONS, gib(match["peak"], "GiB"), label)
    log.see(line, _WEIGHTS, gib(match["weights"], "GiB"), label)
    counter = _CONSUMED if match["consumed"] else _NON_TORCH
    log.see(line, counter, gib(match["outside"], "GiB"), label)


def _available(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.see(line, KV_CACHE, gib(match["rest"]))


def _blocks(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.forms.add("blocks")
    note(log.sheet, line, _BLOCKS, int(match["blocks"]), unit="blocks", rank=log.engine(line))
    if match["swap"]:
        words = f"# CPU blocks: {match['swap']}"
        log.sheet.plan(line, words, tell("swap space in host memory, from a setting"))


def _tokens(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.forms.add("tokens")
    tokens = grouped(match["tokens"])
    note(log.sheet, line, KV_TOKENS, tokens, unit="tokens", rank=log.engine(line))


def _concurrency(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    marks, times = {"at_tokens": grouped(match["tokens"])}, Fraction(match["times"])
    rank = log.engine(line)
    note(log.sheet, line, _CONCURRENCY, times, unit="requests", rank=rank, marks=marks)


def _graphs(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.see(line, _GRAPHS, gib(match["took"]), f"{match['what']} capturing finished")


def _graphs_estimate(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.see(line, _GRAPHS_ESTIMATE, gib(match["total"]))


def _pool(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    label = "CUDA graph pool memory"
    log.see(line, _GRAPHS, gib(match["actual"]), label)
    log.see(line, _GRAPHS_ESTIMATE, gib(match["estimated"]), label)


_USED = spaced(
    r"(?P<amount>" + NUMBER + r") GiB for (?P<what>weight\b|consumed memory|peak activation"
    r"|non-torch memory|CUDAGraph memory)"
)
_USES = {
    "weight": _WEIGHTS,
    "consumedmemory": _CONSUMED,
    "peakactivation": _ACTIVATIONS,
    "non-torchmemory": _NON_TORCH,
    "CUDAGraphmemory": _GRAPHS,
}


def _startup(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    """0.11 on: the whole account after start. From 0.12 the activations include the graphs' estimate."""
    _total(log, line, match["total"], " GiB")
    log.see(line, _FREE, gib(match["free"]), "on startup")
    log.sheet.plan(line, match["desired"], tell("the budget asked for by a setting, not a need"))
    log.sheet.fact(line, "engine.settings.gpu_memory_utilization", match["share"])
    told = _USED.finditer(match["uses"] or "")
    uses = {re.sub(r"\s", "", used["what"]): used["amount"] for used in told}
    for what, amount in uses.items():
        included = what == "peakactivation" and "consumedmemory" in uses
        marks = {"includes_estimate": True} if included else {}
        log.see(line, _USES[what], gib(amount), "Actual usage", marks)
    if match["replace"]:
        reason = tell("settings that the program suggests, by its own arithmetic")
        log.sheet.plan(line, match["replace"].strip(), reason)


def _reserved(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.see(line, _FREE, gib(match["free"]), "Initial free memory")
    log.see(line, KV_CACHE, gib(match["kept"]))


def _free(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.see(line, _FREE, gib(match["free"]), match["when"])


def _asleep(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.see(line, _DEVICE_USED, gib(match["used"]), "Sleep mode")


def _peak(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.see(line, _TORCH_PEAK, gib(match["peak"]), "after loading weights")


def _advice(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    log.sheet.plan(line, match[0], tell("a sentence that never changes, no figure of this run"))


RULES: tuple[Rule[VllmLog], ...] = (
    Rule(
        ("loading took", "weights took", " GiB and ", " memory and "),
        rf"(?P<words>Loading model weights|Model loading) took (?P<weights>{NUMBER}) (?P<label>Gi?B)"
        r"(?P<memory> memory)?",
        _loaded,
    ),
    Rule(
        ("total_gpu_memory", "x gpu_memory_util"),
        rf"can use total_gpu_memory \( (?P<total>{NUMBER}) GiB \) (?P<budget>x gpu_memory_utilization"
        rf" \( {NUMBER} \) = {NUMBER} GiB)",
        _instance,
    ),
    Rule(
        ("model weights take", "non_torch_memory takes"),
        rf"model weights take (?P<weights>{NUMBER}) GiB; non_torch_memory takes (?P<outside>{NUMBER}) GiB;"
        rf" PyTorch activation peak memory takes (?P<peak>{NUMBER}) GiB; the rest of the memory reserved for"
        rf" KV Cache is (?P<rest>{NUMBER}) GiB",
        _profile,
    ),
    Rule(
        "emory profiling results",
        r"Memory profiling results: (?P<results>[^:]{1,600}gpu_memory_utilization)",
        _results,
    ),
    Rule(
        "otal non KV cache memory",
        rf"Total non KV cache memory: {NUMBER} GiB; torch peak memory increase: (?P<peak>{NUMBER}) GiB;"
        r" (?:(?P<consumed>total consumed \(from mem_get_info\))|non-torch forward increase memory):"
        rf" (?P<outside>{NUMBER}) GiB; weights memory: (?P<weights>{NUMBER}) GiB",
        _repr,
    ),
    Rule(
        ("KV cache memory", "Available KV"),
        rf"Available KV cache memory: (?P<rest>{NUMBER}) GiB",
        _available,
    ),
    Rule(
        " blocks: ",
        r"\b(?:GPU|cuda|rocm|xpu|hpu|tpu|neuron) blocks: (?P<blocks>[0-9]{1,12})"
        r"(?:, # CPU blocks: (?P<swap>[0-9]{1,12}))?(?![0-9])",
        _blocks,
        whole=True,
    ),
    Rule(
        ("KV cache size", "e size: "),
        rf"(?!CPU)[A-Z]{{2,6}}(?: \+ host)? KV cache size: (?P<tokens>{GROUPED}) tokens",
        _tokens,
    ),
    Rule(
        ("aximum concurrency", "per request:"),
        rf"Maximum concurrency for (?P<tokens>{GROUPED}) tokens per request:"
        r" (?P<times>[0-9]{1,9}(?:\.[0-9]{1,6})?) x",
        _concurrency,
    ),
    Rule(
        ("raph capturing", " secs, took"),
        rf"(?P<what>(?:Encoder graph|Graph)) capturing finished in [0-9]{{1,9}} secs, took"
        rf" (?P<took>{NUMBER}) GiB",
        _graphs,
    ),
    Rule(
        ("CUDA graph memory", " GiB total"),
        rf"Estimated CUDA graph memory: (?P<total>{NUMBER}) GiB total",
        _graphs_estimate,
    ),
    Rule(
        ("CUDA graph pool memory", " GiB (actual)"),
        rf"CUDA graph pool memory: (?P<actual>{NUMBER}) GiB \(actual\), (?P<estimated>{NUMBER}) GiB"
        r" \(estimated\)",
        _pool,
    ),
    Rule(
        ("Free memory on device", "on startup. Desired"),
        rf"Free memory on device (?:\S{{1,20}} )?\( (?P<free>{NUMBER}) / (?P<total>{NUMBER}) GiB \) on"
        r" startup\. Desired GPU memory utilization is"
        rf" (?P<desired>\( (?P<share>[0-9.]{{1,20}}), {NUMBER} GiB \))\."
        r"(?: Actual usage is (?P<uses>.{1,400}?CUDAGraph memory)\.(?P<replace> Replace .{1,600})?)?",
        _startup,
        whole=True,
    ),
    Rule(
        "nitial free memory",
        rf"Initial free memory (?P<free>{NUMBER}) GiB, reserved (?P<kept>{NUMBER}) GiB memory for KV Cache",
        _reserved,
    ),
    Rule(
        "nitial free memory",
        rf"(?P<when>Initial free memory): (?P<free>{NUMBER}) GiB[;,]",
        _free,
    ),
    Rule(
        "ree memory after profiling",
        rf"(?P<when>Free memory after profiling): (?P<free>{NUMBER}) GiB \(total\)",
        _free,
    ),
    Rule(
        "memory is still in use",
        rf"Sleep mode freed {NUMBER} GiB memory, (?P<used>{NUMBER}) GiB memory is still in use",
        _asleep,
    ),
    Rule(
        "memory after loading weights",
        rf"Peak GPU memory after loading weights: (?P<peak>{NUMBER}) GiB",
        _peak,
    ),
    Rule(
        "CUDA graphs can take",
        r"CUDA graphs can take additional 1~3 GiB memory per GPU",
        _advice,
    ),
)
