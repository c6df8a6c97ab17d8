"""Logs of Ollama's server from 0.1 to 0.20, and the table of `ollama ps`.

Public source (`llm/memory.go`, `server/sched.go`, `ml/device.go`, `discover/types.go`, `format/bytes.go`);
evidence_formats 6.4. Sizes in the log are binary with one decimal, those of the table decimal. Prefixes of the
journal may be in any language. What the runner's llama.cpp prints is read as such.
"""

from __future__ import annotations

import re

from fiche.importers import _ollama_figures
from fiche.importers._lines import Line
from fiche.importers._logged import Counter, Refusals, Rule, note, read_all, said, words_of
from fiche.importers._ollama_figures import OllamaLog
from fiche.importers._sheet import Sheet
from fiche.importers._slog import decimal
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_LOADED = Counter("ollama.ps_size", "process", "current", "runtime_reported")


def _row(log: OllamaLog, line: Line, match: re.Match[str]) -> None:
    """A model in the table: its whole size, and which part of it the device holds."""
    log.decimal, log.shape = True, "ollama-ps"
    share = re.sub(r"\s{1,60}", " ", match["processor"])
    value = decimal(match["number"], match["unit"])
    note(log.sheet, line, _LOADED, value, label=f"{match['model']}, {share}")
    log.sheet.fact(line, "engine.name", "ollama")
    if not share.startswith("100%"):
        log.sheet.fact(line, "placement.resident", "offload")


def _version(log: OllamaLog, line: Line, match: re.Match[str]) -> None:
    log.refusals.start_anew(line)
    log.sheet.begin(line)
    log.version = log.version or match["version"]
    log.sheet.fact(line, "engine.name", "ollama")
    log.sheet.fact(line, "engine.version", match["version"])


def _environment(log: OllamaLog, line: Line, match: re.Match[str]) -> None:
    for key, value in re.findall(r"\b(OLLAMA_[A-Z_]{3,40}):([^\s\]]{1,60})", match[0]):
        if key in _SETTINGS:
            log.sheet.fact(line, f"engine.settings.{key}", value)


_SETTINGS = frozenset(
    {
        "OLLAMA_KV_CACHE_TYPE",
        "OLLAMA_NUM_PARALLEL",
        "OLLAMA_CONTEXT_LENGTH",
        "OLLAMA_FLASH_ATTENTION",
        "OLLAMA_GPU_OVERHEAD",
        "OLLAMA_MAX_LOADED_MODELS",
        "OLLAMA_SCHED_SPREAD",
    }
)
_SHARE = r"(?P<processor>[0-9]{1,3}%(?:/[0-9]{1,3}%)? (?:CPU/GPU|GPU|CPU))"
_ROW = (
    r"(?P<model>[\w.:/@-]{1,200})\s{1,60}[0-9a-f]{12}\s{1,60}(?P<number>[0-9]{1,5}(?:\.[0-9])?)"
    rf" (?P<unit>[KMGT]?B)\s{{1,60}}{_SHARE}"
)
_TABLE: tuple[Rule[OllamaLog], ...] = (
    Rule("% GPU", _ROW, _row),
    Rule("% CPU", _ROW, _row),
)
_FACTS: tuple[Rule[OllamaLog], ...] = (
    Rule(
        "Listening on",
        r"Listening on .{1,80}? \(version (?P<version>[0-9][\w.+-]{1,40})\)",
        _version,
    ),
    Rule("server config", r"msg=\"server config\".{1,3600}", _environment),
)
_RULES = (*_FACTS, *_ollama_figures.RULES, *_TABLE)


def _accepts(content: bytes, name: str) -> int:
    if said(content, _ollama_figures.RULES):
        return 85  # surer than the llama.cpp inside it
    return 85 if b"PROCESSOR" in content and said(content, _TABLE) else 0


def _read(content: bytes, sha256: str) -> Reading:
    sheet = Sheet(sha256)
    log = OllamaLog(sheet=sheet, refusals=Refusals(sheet))
    read_all(log, content, _RULES)
    if sheet.empty:
        raise nothing_found(content, sha256, "lines of Ollama about memory")
    if log.estimates:
        sheet.warn(
            tell(
                "estimate_not_measured: memory.required and the like are Ollama's estimate before "
                "loading; only free memory was read from the devices"
            )
        )
    if log.decimal:
        sheet.warn(tell("unit_label_is_decimal: GB in the table of ollama ps is 10**9 bytes"))
        sheet.warn(
            tell(
                "split_not_per_device: the table gives one size for all devices and the host together"
            )
        )
    return sheet.reading("ollama_log", log.shape, log.backend, log.version)


MEMBER = Importer(
    name="ollama_log",
    title="Logs of Ollama",
    accepts=_accepts,
    read=_read,
    anchors=words_of(_RULES),
    log=True,
)
