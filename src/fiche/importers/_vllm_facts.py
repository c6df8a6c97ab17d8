"""What a log of vLLM says about itself: version, model, formats, placement, settings, and its own form."""

from __future__ import annotations

import re

from fiche.importers import _logged_facts
from fiche.importers._lines import Line
from fiche.importers._logged import Rule
from fiche.importers._vllm_speaker import VllmLog
from fiche.kernel.lazy import lazy

_SETTINGS = frozenset(
    {
        "gpu_memory_utilization",
        "max_model_len",
        "max_num_seqs",
        "max_num_batched_tokens",
        "kv_cache_dtype",
        "kv_cache_memory_bytes",
        "block_size",
        "swap_space",
        "cpu_offload_gb",
        "quantization",
        "enforce_eager",
        "enable_prefix_caching",
        "enable_chunked_prefill",
        "num_gpu_blocks_override",
        "load_format",
    }
)
_PLACEMENT = {
    "tensor_parallel_size": "placement.tensor_parallel",
    "pipeline_parallel_size": "placement.pipeline_parallel",
    "data_parallel_size": "placement.data_parallel",
}
_BACKENDS = {"cuda": "cuda", "rocm": "rocm", "xpu": "xpu", "cpu": "cpu"}
_WORDS = {"cuda": "cuda", "rocm": "hip"}
_FIRST = lazy(r"(\d{1,3})\.(\d{1,3})")


# Its platform is told a few lines above its version.
_PLATFORM_ABOVE = 5


def _begin(log: VllmLog, line: Line) -> None:
    """A server starts: on this line, or on the one that told its platform a few lines above."""
    above = log.platforms.get(line.speaker.service)
    if above is None or line.number - above[0].number > _PLATFORM_ABOVE:
        log.sheet.begin(line)
        return
    log.sheet.begin(line, above[0].number)
    if above[1] in _WORDS:
        log.sheet.fact(above[0], "backend", _WORDS[above[1]])


def _version(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    version = match["version"].removeprefix("v")
    if "config" not in match.groupdict():
        if log.version:
            log.refusals.start_anew(line)
        _begin(log, line)
    log.version = log.version or version
    log.sheet.fact(line, "engine.name", "vllm")
    log.sheet.fact(line, "engine.version", version)


def _stated(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    """The version that `collect_env` prints, outside of any run."""
    log.version = log.version or match["version"]
    log.sheet.fact(line, "engine.name", "vllm")
    log.sheet.fact(line, "engine.version", match["version"])


def _config(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    """The settings as the engine took them: they win over what was asked for."""
    _version(log, line, match)
    told = _logged_facts.pairs(match["config"])
    _placed(log, line, told)
    if "dtype" in told:
        _logged_facts.compute_format(log.sheet, line, told["dtype"])
    if "max_seq_len" in told:
        log.sheet.fact(line, "engine.settings.max_model_len", told["max_seq_len"])
    cache = _logged_facts.format_word(told.get("kv_cache_dtype", "auto"))
    if cache is not None:
        log.sheet.fact(line, "formats.cache", cache)
    _told(log, line, told)


def _asked(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    told = _logged_facts.pairs(match["settings"])
    _placed(log, line, told)
    _told(log, line, told)


def _told(log: VllmLog, line: Line, told: dict[str, str]) -> None:
    known = {
        k: v for k, v in told.items() if f"engine.settings.{k}" not in log.sheet.facts_at(line)
    }
    _logged_facts.settings(log.sheet, line, known, _SETTINGS)
    for key, path in (("seed", "seed"), ("revision", "model.revision")):
        if key in told:
            log.sheet.fact(line, path, told[key])


def _placed(log: VllmLog, line: Line, told: dict[str, str]) -> None:
    if told.get("model") and "model.name" not in log.sheet.facts_at(line):
        _logged_facts.model_fact(log.sheet, line, told["model"])
    for key, path in _PLACEMENT.items():
        if told.get(key, "").isdigit() and path not in log.sheet.facts_at(line):
            log.sheet.fact(line, path, told[key])


def _platform(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    word = match["platform"].lower()
    log.platforms[line.speaker.service] = (line, word)
    log.backend = _BACKENDS.get(word, log.backend)
    if word in _WORDS:
        log.sheet.fact(line, "backend", _WORDS[word])


def _attention(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    word = re.sub(r"[ _]backend$", "", match["name"]).strip()
    log.sheet.fact(line, "engine.settings.attention_backend", word)


def _banner(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    _version(log, line, match)
    if match["model"]:
        _logged_facts.model_fact(log.sheet, line, match["model"])


def _bannered(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    if "model.name" not in log.sheet.facts_at(line):
        _logged_facts.model_fact(log.sheet, line, match["model"])


RULES: tuple[Rule[VllmLog], ...] = (
    Rule("API server version", r"vLLM API server version (?P<version>[\w.+-]{1,60})", _version),
    Rule(
        "LLM engine (v",
        r"Initializing an? (?:V[01] )?LLM engine \(v(?P<version>[^)\s]{1,60})\) with config: (?P<config>.*)",
        _config,
    ),
    Rule(
        "vLLM server version",
        r"vLLM server version (?P<version>[\w.+-]{1,60}), serving model (?P<model>\S{1,300})",
        _banner,
    ),
    Rule(
        "  version ",
        r"[█▀▄]\s{1,9}version\s{1,9}v?(?P<version>[0-9][\w.+-]{1,60})(?P<model>)",
        _banner,
    ),
    Rule("  model  ", r"[█▀▄]\s{1,9}model\s{1,9}(?P<model>\S{1,300})", _bannered),
    Rule("vLLM Version", r"vLLM Version ?: (?P<version>[0-9][\w.+-]{1,60})", _stated),
    Rule("detected platform", r"detected platform (?P<platform>[a-z]{2,8})", _platform),
    Rule("non-default args", r"non-default args: (?P<settings>\{.*)", _asked),
    Rule("args: Namespace(", r"args: Namespace\((?P<settings>.*)", _asked),
    Rule(
        "ttention backend",
        r"Using (?P<name>[A-Za-z_ ]{3,40}?)(?: attention)? backend\b",
        _attention,
    ),
)


def shape_of(log: VllmLog) -> str:
    """The variant: the version where it is told, else the form of the lines."""
    if log.sheet.failures and not log.sheet.observations:
        return "admission-refused"
    told = _FIRST.match(log.version)
    generation = "v1" if log.forms & {"tokens", "Model", "memory"} else "v0"
    if told is not None:
        return f"{generation}-{told[1]}.{told[2]}"
    if "memory" in log.forms:
        return "v1-0.12"
    if generation == "v1":
        return "v1-0.8"
    return "v0-0.6" if "instance" in log.forms else "v0-0.5"
