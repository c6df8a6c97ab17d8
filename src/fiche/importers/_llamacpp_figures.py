"""What llama.cpp prints about its buffers and devices (evidence_formats 6.4).

Its own account of its own buffers: the context of the driver, cuBLAS and pools are not in it.
"""

from __future__ import annotations

import re

from fiche.importers import _logged_facts
from fiche.importers._figures import MIB, floored
from fiche.importers._lines import Line
from fiche.importers._llamacpp_buffers import BUFFER, MIBS, LlamaLog, backend_of, device_of, mib
from fiche.importers._logged import Counter, Rule, note
from fiche.kernel.lazy import lazy
from fiche.kernel.said import tell

_KINDS = {
    "": "model",
    "model": "model",
    "KV": "kv",
    "compute": "compute",
    "output": "output",
    "input": "input",
    "RS": "rs",
    "LoRA": "lora",
}
_FREE = Counter("device_free", "device", "free")
_TOTAL = Counter("total_gpu_memory", "device", "total")
_PROJECTED = Counter("llamacpp.projected", "process", "need", "estimated")
_VRAM = {
    "total": Counter("llamacpp.vram_total", "process", "current", "runtime_reported"),
    "model": Counter("llamacpp.vram_model", "component", "current", "runtime_reported"),
    "scratch": Counter("llamacpp.vram_scratch", "component", "current", "runtime_reported"),
    "kv": Counter("llamacpp.vram_kv", "component", "current", "runtime_reported"),
}
_REQUIRED = Counter("llamacpp.mem_required", "host_process", "need", "estimated")


def buffer_counter(kind: str) -> Counter:
    """The counter of one kind of buffer."""
    return Counter(f"llamacpp.{kind}_buffer", "component", "current", "runtime_reported")


def _buffer(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    kind, buffer = match["kind"].strip(), match["buffer"]
    log.buffers = True
    log.kv_buffers |= kind == "KV"
    if kind == "model":
        log.shape = "llama-2025"
    if kind == "compute":
        log.recover()
    log.see(line, buffer_counter(_KINDS[kind]), mib(match["amount"]), buffer)


def _old_compute(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    """2023: one compute buffer of an untold place."""
    log.shape = "llama-2023"
    note(log.sheet, line, buffer_counter("compute"), mib(match["amount"], f" {match['label']}"))


def _vram(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    """2023: what lies on the first device; the total is the sum of the others."""
    log.shape, log.backend = "llama-2023", log.backend or "cuda"
    words = re.sub(r"\s", "", match["what"])
    kind = {"totalVRAMused": "total", "VRAMused": "model", "VRAMscratchbuffer": "scratch"}.get(
        words, "kv"
    )
    note(log.sheet, line, _VRAM[kind], mib(match["amount"], f" {match['label']}"))


def _required(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    log.shape = "llama-2023"
    note(log.sheet, line, _REQUIRED, mib(match["amount"], f" {match['label']}"))


def _sum(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    log.sums.append((line, match["amount"], match["words"]))
    types: dict[str, str] = dict(_TYPE.findall(match["types"] or ""))
    if not types:
        return
    for which, path in (("K", "formats.cache_key"), ("V", "formats.cache_value")):
        if which in types:
            kind = types[which]
            log.sheet.fact(line, path, _logged_facts.format_word(kind) or kind)
    if types.get("K") == types.get("V"):
        kind = types["K"]
        log.sheet.fact(line, "formats.cache", _logged_facts.format_word(kind) or kind)


_TYPE = lazy(r"\b([KV])\s{0,9}\(\s{0,9}(\w{2,12})\s{0,9}\)")


def _file(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    log.sheet.plan(line, match[0].strip(), tell("size of the weights in the file"))


def _using(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    buffer = match["buffer"]
    free = floored(match["free"], " MiB", MIB)
    log.see(line, _FREE, free, buffer, "before load")
    _named(log, line, buffer, match["name"])


def _listed(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    buffer = match["buffer"]
    if backend_of(buffer) is None:
        return
    _total(log, line, match["total"], buffer, match["name"])
    log.see(line, _FREE, floored(match["free"], " MiB", MIB), buffer, "before load")
    _named(log, line, buffer, match["name"])


def _total(log: LlamaLog, line: Line, number: str, buffer: str, name: str) -> None:
    whole = floored(number, " MiB", MIB)
    log.see(line, _TOTAL, whole, buffer)
    if backend_of(buffer) in {"cuda", "rocm"}:
        log.sheet.total(line, "cuda_total_other", whole, device_of(buffer), name.strip())


def _named(log: LlamaLog, line: Line, buffer: str, name: str) -> None:
    index = device_of(buffer)
    if index is not None:
        _logged_facts.device_fact(log.sheet, line, index, name.strip())


def _found(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    """The list that the CUDA or HIP backend prints when it starts."""
    rocm = "gfx" in match["kind"] or log.maker in {"ROCm", "HIP"}
    buffer = f"{'ROCm' if rocm else 'CUDA'}{match['index']}"
    log.backend = log.backend or backend_of(buffer)
    log.sheet.fact(line, "backend", "hip" if rocm else "cuda")
    _named(log, line, buffer, match["name"])
    if match["total"]:
        _total(log, line, match["total"], buffer, match["name"])


def _maker(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    log.maker = match["maker"]


def _projection(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    note(log.sheet, line, _PROJECTED, floored(match["needed"], " MiB", MIB))


def _arithmetic(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    log.sheet.plan(line, match[0].strip(), tell("computed before anything was allocated"))


def _offloaded(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    done, layers = int(match["done"]), int(match["layers"])
    log.sheet.fact(line, "engine.settings.offloaded_layers", f"{done}/{layers}")
    if done < layers:
        log.sheet.fact(line, "placement.resident", "offload")


_KIND = "|".join(filter(None, _KINDS))
_UNIT = r"(?P<label>Mi?B)"
RULES: tuple[Rule[LlamaLog], ...] = (
    Rule(
        "buffer size",
        rf"\b(?!(?:{_KIND}|state|total)\b){BUFFER} (?P<kind>(?:(?:{_KIND}) )?)buffer size ="
        rf" (?P<amount>{MIBS}) MiB",
        _buffer,
    ),
    Rule(
        "compute buffer total",
        rf"compute buffer total size = (?P<amount>{MIBS}) {_UNIT}",
        _old_compute,
    ),
    Rule(
        "VRAM ",
        rf"(?P<what>(?:total )?VRAM used|VRAM scratch buffer|VRAM kv self) [:=] (?P<amount>{MIBS}) {_UNIT}",
        _vram,
    ),
    Rule("mem required", rf"mem required = (?P<amount>{MIBS}) {_UNIT}", _required),
    Rule(
        "self size",
        rf"(?P<words>(?:KV|kv) self size = (?P<amount>{MIBS}) Mi?B)"
        rf"(?P<types>, (?:K|c\^KV) \(.{{1,80}}?{MIBS} MiB(?:, V \(\w{{2,12}}\): {MIBS} MiB)?)?",
        _sum,
        whole=True,
    ),
    Rule(
        " cells",
        rf"(?P<words>\bsize = (?P<amount>{MIBS}) MiB) \( [0-9]{{1,9}} cells,.{{1,60}}?\)"
        rf"(?P<types>, K \(\w{{2,12}}\): {MIBS} MiB, V \(\w{{2,12}}\): {MIBS} MiB)?",
        _sum,
        whole=True,
    ),
    Rule("model size", rf"model size = {MIBS} [MG]i?B", _file),
    Rule("file size", rf"file size = {MIBS} [MG]i?B", _file),
    Rule(
        "using device",
        rf"using device {BUFFER} \((?P<name>.{{1,120}}?)\)(?: \([^()]{{1,60}}\))? - (?P<free>[0-9]{{1,9}}) MiB"
        r" free",
        _using,
    ),
    Rule(
        "MiB free)",
        rf"\b{BUFFER} : (?P<name>.{{1,120}}?) \((?P<total>[0-9]{{1,9}}) MiB, (?P<free>[0-9]{{1,9}}) MiB free\)",
        _listed,
    ),
    Rule(
        ("CUDA devices", "ROCm devices", "HIP devices", "MUSA devices"),
        r"found [0-9]{1,3} (?P<maker>CUDA|ROCm|HIP|MUSA) devices",
        _maker,
    ),
    Rule(
        "  Device ",
        r"Device (?P<index>[0-9]{1,3}): (?P<name>[^,]{2,80}),(?P<kind> compute capability [0-9.]{1,6}"
        r"| gfx\w{1,20}[^,]{0,40}), VMM: (?:yes|no)(?:.{0,80}?VRAM: (?P<total>[0-9]{1,9}) MiB)?",
        _found,
        whole=True,
    ),
    Rule(
        "projected to use",
        r"projected to use (?P<needed>[0-9]{1,12}) MiB of (?:device|host) memory vs\. [0-9]{1,12} MiB",
        _projection,
    ),
    Rule("MiB less", r"need (?:to use )?[0-9]{1,12} MiB less(?: memory)? in total", _arithmetic),
    Rule("free memory target", r"cannot meet free memory targets? .{1,120}", _arithmetic),
    Rule(
        "layers to GPU",
        r"offloaded (?P<done>[0-9]{1,5})/(?P<layers>[0-9]{1,5}) layers to GPU",
        _offloaded,
    ),
)
