"""What a log of SGLang says about itself: the arguments of the server, and the program's version."""

from __future__ import annotations

import re

from fiche.importers import _logged_facts
from fiche.importers._lines import Line
from fiche.importers._logged import Rule
from fiche.importers._sglang_figures import SglangLog

_SETTINGS = frozenset(
    {
        "mem_fraction_static",
        "max_running_requests",
        "max_total_tokens",
        "chunked_prefill_size",
        "max_prefill_tokens",
        "kv_cache_dtype",
        "quantization",
        "context_length",
        "page_size",
        "attention_backend",
        "disable_cuda_graph",
        "cuda_graph_max_bs",
        "enable_hierarchical_cache",
        "hicache_ratio",
        "hicache_size",
        "cpu_offload_gb",
    }
)
_PLACEMENT = {
    "tp_size": "placement.tensor_parallel",
    "pp_size": "placement.pipeline_parallel",
    "dp_size": "placement.data_parallel",
    "ep_size": "placement.expert_parallel",
}
_WORDS = {"cuda": "cuda", "hip": "hip"}


def _arguments(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    log.refusals.start_anew(line)
    log.sheet.begin(line)
    told = _logged_facts.pairs(match["settings"])
    log.sheet.fact(line, "engine.name", "sglang")
    if "model_path" in told:
        _logged_facts.model_fact(log.sheet, line, told["model_path"])
    for key, path in _PLACEMENT.items():
        if told.get(key, "").isdigit():
            log.sheet.fact(line, path, told[key])
    for key, path in (("revision", "model.revision"), ("random_seed", "seed")):
        if key in told:
            log.sheet.fact(line, path, told[key])
    cache = _logged_facts.format_word(told.get("kv_cache_dtype", "auto"))
    if cache is not None:
        log.sheet.fact(line, "formats.cache", cache)
    if told.get("device") in _WORDS:
        log.sheet.fact(line, "backend", _WORDS[told["device"]])
    _logged_facts.settings(log.sheet, line, told, _SETTINGS)


def _version(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    log.version = match["version"]
    log.sheet.fact(line, "engine.name", "sglang")
    log.sheet.fact(line, "engine.version", match["version"])


def _attention(log: SglangLog, line: Line, match: re.Match[str]) -> None:
    log.sheet.fact(line, "engine.settings.attention_backend", match["name"])


RULES: tuple[Rule[SglangLog], ...] = (
    Rule("ServerArgs(", r"server_args=ServerArgs\((?P<settings>.*)", _arguments),
    Rule(
        ("sglang==", "sglang version", "sglang v", "sglang[", "sglang: "),
        r"\bsglang(?:\[\w{1,20}\])?(?:==|: | version:? ?v?| v)(?P<version>[0-9][\w.+]{2,30})",
        _version,
    ),
    Rule(
        "ttention backend not",
        r"Attention backend not (?:set|specified|explicitly specified)\. Use (?P<name>\w{2,30}) backend",
        _attention,
    ),
)
