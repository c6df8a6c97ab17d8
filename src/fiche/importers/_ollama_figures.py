"""What the server of Ollama logs about memory (`llm/memory.go`, `ml/device.go`, `discover/types.go`).

Measured: what a device had free. Reported by the runner: its buffers, in the newer engine. Estimated before
anything was loaded: `memory.required.*`, `memory.weights.*`, `memory.graph.*`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fiche.importers import _logged_facts
from fiche.importers._lines import Line
from fiche.importers._llamacpp_buffers import backend_of, device_of
from fiche.importers._logged import Counter, Refusals, Rule, note
from fiche.importers._sheet import Sheet
from fiche.importers._slog import amount, amounts, fields
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Failure, Printed

_FREE = Counter("device_free", "device", "free")
_TOTAL = Counter("total_gpu_memory", "device", "total")
_HOST_FREE = Counter("host_free", "host", "free")
_HOST_TOTAL = Counter("host_total", "host", "total")
_AVAILABLE = Counter("ollama.available", "device", "free", "budget")
_REQUIRED = Counter("ollama.required", "process", "need", "estimated")
_ALL = Counter("ollama.total_memory", "process", "current", "runtime_reported")
_PARTS = {
    "model weights": "ollama.model_weights",
    "kv cache": "ollama.kv_cache",
    "compute graph": "ollama.compute_graph",
}
_ESTIMATES = lazy(
    r"memory\.(?:required|weights|graph)\.\w{1,40}|projector\.(?:weights|graph)"
    r"|memory\.gpu_overhead"
)
_FIRST_WORDS = {
    "required": "required.full",
    "used": "required.partial",
    "kv": "required.kv",
    "fulloffload": "graph.full",
    "partialoffload": "graph.partial",
}
_HOST_LIBRARIES = frozenset({"cpu", ""})
_BACKENDS = {"cuda": "cuda", "rocm": "rocm", "metal": "metal", "vulkan": "vulkan"}
_WORDS = {"cuda": "cuda", "rocm": "hip"}
Fields = Mapping[str, str]


@dataclass(slots=True)
class OllamaLog:
    """What is known while a log is read."""

    sheet: Sheet
    refusals: Refusals
    backend: str | None = None
    version: str = ""
    shape: str = "ollama"
    estimates: bool = False
    decimal: bool = False

    def see(
        self,
        line: Line,
        counter: Counter,
        value: Printed | None,
        device_index: int | None = None,
        label: str = "",
    ) -> None:
        """A figure, where the field holds one."""
        if value is not None:
            note(self.sheet, line, counter, value, device_index=device_index, label=label)

    def library(self, line: Line, told: Fields) -> bool:
        """True where a line is about a device; notes which backend it has."""
        word = told.get("library", "").lower()
        word = next((known for known in _BACKENDS if word.startswith(known)), word)
        self.backend = self.backend or _BACKENDS.get(word)
        if word in _WORDS:
            self.sheet.fact(line, "backend", _WORDS[word])
        return word not in _HOST_LIBRARIES


def _offload(log: OllamaLog, line: Line, told: Fields) -> None:
    """The estimate before loading: one figure of free memory a device, then needs by arithmetic."""
    log.shape, log.estimates = "ollama-offload", True
    word = told["msg"].removeprefix("offload").removeprefix(" to ").strip()
    on_device = log.library(line, {"library": told.get("library", word)})
    for index, value in enumerate(amounts(told.get("memory.available", ""))):
        if on_device:
            log.see(line, _FREE, value, index)
        else:
            log.see(line, _HOST_FREE, value)
    for key, text in told.items():
        if _ESTIMATES.fullmatch(key):
            _estimate(log, line, key, text)
    if "memory.available" not in told:
        _first_offload(log, line, told)
    _layers(log, line, told.get("layers.offload", ""), told.get("layers.model", ""))


def _first_offload(log: OllamaLog, line: Line, told: Fields) -> None:
    """0.1.2x names its figures by one word each."""
    log.see(line, _FREE, amount(told.get("available", "")))
    for key, name in _FIRST_WORDS.items():
        counter = Counter(f"ollama.{name}", "component", "need", "estimated")
        log.see(line, counter, amount(told.get(key, "")))


def _estimate(log: OllamaLog, line: Line, key: str, text: str) -> None:
    name = f"ollama.{key.removeprefix('memory.')}"
    if key == "memory.gpu_overhead":
        log.see(line, Counter(name, "device", "reserved", "budget"), amount(text))
        return
    counter = Counter(name, "component", "need", "estimated")
    if not text.startswith("["):
        log.see(line, counter, amount(text))
        return
    for index, value in enumerate(amounts(text)):
        log.see(line, counter, value, index)


def _layers(log: OllamaLog, line: Line, done: str, layers: str) -> None:
    if done.isdigit() and layers.isdigit() and len(done + layers) <= 12:
        log.sheet.fact(line, "engine.settings.offloaded_layers", f"{done}/{layers}")
        if int(done) < int(layers):
            log.sheet.fact(line, "placement.resident", "offload")


def _part(log: OllamaLog, line: Line, told: Fields) -> None:
    """The runner's own account of what it allocated, by device (`device=`, older `buffer=`, `backend=`)."""
    log.shape = "ollama-device"
    buffer = told.get("device") or told.get("buffer") or told.get("buffer_type") or ""
    value = amount(told.get("size", ""))
    if value is None:
        return
    log.backend = log.backend or backend_of(buffer)
    counter = Counter(_PARTS[told["msg"]], "component", "current", "runtime_reported")
    marks = {"buffer": buffer}
    note(log.sheet, line, counter, value, device_index=device_of(buffer), marks=marks)


def _whole(log: OllamaLog, line: Line, told: Fields) -> None:
    log.see(line, _ALL, amount(told.get("size", "")), label="all devices and the host")


def _device(log: OllamaLog, line: Line, told: Fields) -> None:
    """What the scheduler found free before it placed a model."""
    if not log.library(line, told) and told.get("library"):
        return
    name = told.get("id", "")
    index = int(name) if name.isdigit() and len(name) <= 3 else None
    log.see(line, _FREE, amount(told.get("free", "")), index, name)
    log.see(line, _AVAILABLE, amount(told.get("available", "")), index, name)


def _system(log: OllamaLog, line: Line, told: Fields) -> None:
    log.see(line, _HOST_TOTAL, amount(told.get("total", "")))
    log.see(line, _HOST_FREE, amount(told.get("free", "")))


def _compute(log: OllamaLog, line: Line, told: Fields) -> None:
    """The devices that Ollama found when it started."""
    if "library" not in told:
        return  # broken off: whose memory this is stands nowhere
    total, free = amount(told.get("total", "")), amount(told.get("available", ""))
    if not log.library(line, told):
        log.see(line, _HOST_TOTAL, total)
        log.see(line, _HOST_FREE, free)
        return
    place = told.get("name", "")
    index = device_of(place)
    name = told.get("description") or (place if index is None else "")
    log.see(line, _TOTAL, total, index, name)
    log.see(line, _FREE, free, index, "at start")
    if total is not None and log.backend in {"cuda", "rocm"}:
        log.sheet.total(line, "cuda_total_other", total, index, name)
    if name and index is not None:
        _logged_facts.device_fact(log.sheet, line, index, name)
    elif name and "device" not in log.sheet.facts:
        log.sheet.fact(line, "device", name)


def _update(log: OllamaLog, line: Line, told: Fields) -> None:
    """Free memory as it was looked up again (at level debug)."""
    if "system" in told["msg"]:
        log.see(line, _HOST_FREE, amount(told.get("now.free", "")))
        return
    log.see(line, _FREE, amount(told.get("now.free", "")), label=told.get("gpu", ""))


def _fits(log: OllamaLog, line: Line, told: Fields) -> None:
    log.estimates = True
    log.see(line, _FREE, amount(told.get("available", "")), label=told.get("gpu", ""))
    log.see(line, _REQUIRED, amount(told.get("required", "")))


def _request(log: OllamaLog, line: Line, told: Fields) -> None:
    """What the runner was asked to load with: `{Operation:commit ... KvSize:16384 KvCacheType:q8_0 ...}`."""
    request = told.get("request", "")
    for key, value in re.findall(r"\b([A-Z]\w{2,30}):([\w.-]{1,40})(?=[ }])", request):
        if key in {"KvSize", "BatchSize", "Parallel", "FlashAttention", "KvCacheType"}:
            log.sheet.fact(line, f"engine.settings.{key}", value)
        if key == "KvCacheType":
            known = _logged_facts.format_word(value) or value
            log.sheet.fact(line, "formats.cache", known)


_MESSAGES: dict[str, Callable[[OllamaLog, Line, Fields], None]] = {
    "system memory": _system,
    "gpu memory": _device,
    "inference compute": _compute,
    "total memory": _whole,
    **dict.fromkeys(_PARTS, _part),
    "new model will fit in available VRAM in single GPU, loading": _fits,
    "new model will fit in available VRAM, loading": _fits,
    "updating system memory data": _update,
    "updating cuda memory data": _update,
    "updating rocm memory data": _update,
    "load": _request,
}


def _message(log: OllamaLog, line: Line, match: re.Match[str]) -> None:
    text = match[0]
    escaped, plain = text.find("=\\"), text.find('="')
    if 0 <= escaped < (plain if plain >= 0 else len(text)):
        text = re.sub(r'\\{1,8}"', '"', text)  # a log in JSON, as container runtimes keep them
    told = fields(text)
    message = told.get("msg", "")
    read = _MESSAGES.get(message, _offload if message.startswith("offload") else None)
    if read is not None:
        read(log, line, told)


def _refused(log: OllamaLog, line: Line, match: re.Match[str]) -> None:
    """Host memory that would not suffice, by the server's estimate: nothing was loaded."""
    asked, free = amount(match["asked"]), amount(match["free"] or "")
    quantities = {"requested": asked, "free": free}
    failure = Failure(
        pointer=log.sheet.place(line),
        message_kind="admission_check",
        memory="host",
        backend=None,
        quantities={key: value for key, value in quantities.items() if value is not None},
        message=re.sub(r"\s{1,60}", " ", match[0])[:500],
    )
    log.refusals.add(line, failure, match["asked"])


_AMOUNT = r"[0-9]{1,9}(?:\.[0-9])? [KMG]?i?B"
# Up to the next line of the logger or of the runner's llama.cpp.
_TAIL = r"(?:(?!time=[0-9]{4}-|\[GIN\]|llama_|ggml_|print_info:).){0,3600}"


def _logged(words: str | tuple[str, ...], message: str) -> Rule[OllamaLog]:
    """The line with one message, bare or quoted, in JSON as well."""
    source = rf"msg=(?:\\{{0,8}}\"(?:{message})\\{{0,8}}\"|(?:{message}))(?=\s|$){_TAIL}"
    return Rule(words, source, _message, whole=True)


RULES: tuple[Rule[OllamaLog], ...] = (
    _logged("system memory", r"(?:updating )?system memory(?: data)?"),
    _logged("gpu memory", "gpu memory"),
    _logged("memory data", r"updating (?:cuda|rocm) memory data"),
    _logged("inference compute", "inference compute"),
    _logged("total memory", "total memory"),
    *(_logged(words, words) for words in _PARTS),
    _logged("will fit in available VRAM", r"new model will fit in available VRAM[a-zA-Z ,]{1,30}"),
    _logged(("msg=offload", 'msg="offload', 'msg=\\"offload'), r"offload(?: to \w{2,12})?"),
    _logged("load request=", "load"),
    Rule(
        "more system memory",
        rf"model requires more system memory \((?P<asked>{_AMOUNT})\) than is available"
        rf"(?: \((?P<free>{_AMOUNT})\))?",
        _refused,
        whole=True,
    ),
)
