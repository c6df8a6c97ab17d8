"""What a log of llama.cpp says about itself: its build, the file's type, the settings of the context."""

from __future__ import annotations

import re

from fiche.importers import _logged_facts
from fiche.importers._lines import Line
from fiche.importers._llamacpp_buffers import LlamaLog
from fiche.importers._logged import Rule

_CONTEXT = ("n_ctx", "n_batch", "n_ubatch", "n_seq_max", "flash_attn", "kv_unified", "mla_attn")
_SHORT = {"small": "s", "medium": "m", "large": "l"}
# Types with one mixture only, of which the name says nothing more.
_PLAIN = frozenset({"q2_k", "q6_k", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0"})


def storage(words: str) -> str:
    """The file's type under the name that its quantised files bear: `Q4_K - Medium` is q4_k_m."""
    name, _, mixture = words.lower().partition(" - ")
    name = name.removeprefix("all ").removeprefix("mostly ").strip()
    letter = _SHORT.get(mixture.split(",")[0].strip())
    if letter is not None and not (name in _PLAIN and letter == "m"):
        return f"{name}_{letter}"
    return _logged_facts.format_word(name) or name


def _build(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    log.version = f"b{match['build']}"
    for attempt in log.attempts:
        attempt.retried = False
    log.sheet.fact(line, "engine.name", "llama.cpp")
    log.sheet.fact(line, "engine.version", log.version)


def _type(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    words = match["type"].strip()
    if "guessed" not in words:
        log.sheet.fact(line, "formats.storage", storage(words))


def _setting(log: LlamaLog, line: Line, match: re.Match[str]) -> None:
    log.sheet.fact(line, f"engine.settings.{match['key']}", match["value"])


_MADE = r"llama_(?:context|new_context_with_model|init_from_model)"
RULES: tuple[Rule[LlamaLog], ...] = (
    Rule(
        ("build: ", "build = "), r"\bbuild ?[:=] (?P<build>[0-9]{3,6}) \([0-9a-f]{5,40}\)", _build
    ),
    Rule("build_info", r"\bbuild_info: b(?P<build>[0-9]{3,6})-[0-9a-f]{5,40}", _build),
    Rule("file type", r"print_info: file type = (?P<type>[^\r\n]{1,60})", _type),
    Rule("model ftype", r"model ftype = (?P<type>[^\r\n]{1,60})", _type),
    *(
        Rule(
            key,
            rf"{_MADE}: (?P<key>{key}) = (?P<value>[\w.-]{{1,20}})",
            _setting,
        )
        for key in _CONTEXT
    ),
)
