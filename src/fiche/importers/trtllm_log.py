"""Logs of TensorRT-LLM: buffers of the runtime, the paged KV cache, the PyTorch backend's profile.

Public source of 0.5 to 1.2 (`cpp/tensorrt_llm/runtime`, `batch_manager`, `_torch/pyexecutor/_util.py`);
evidence_formats 6.3. B, KB, MB and GB come from a helper that divides by 1024; MiB and GiB say what they are.
The size of the paged cache follows from kv_cache_free_gpu_memory_fraction. An engine's size is that of a file.
"""

from __future__ import annotations

import re

from fiche.importers import _logged_facts, _trtllm_figures
from fiche.importers._lines import Line
from fiche.importers._logged import Refusals, Rule, read_all, said, words_of
from fiche.importers._sheet import Sheet
from fiche.importers._trtllm_figures import TrtllmLog
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Failure, Reading
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell


def _failed(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    """The driver's error under the runtime, or TensorRT's own, which says how much was asked."""
    asked = match["bytes"]
    failure = Failure(
        pointer=log.sheet.place(line),
        message_kind="allocator_oom" if asked else "driver_oom",
        memory="device",
        backend="cuda",
        rank=line.speaker.rank,
        quantities={"requested": exact_bytes(int(asked))} if asked else {},
        message=re.sub(r"\s{1,60}", " ", match[0])[:500],
    )
    log.refusals.add(line, failure, re.sub(r"\s", "", match["told"]))


def _no_blocks(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    failure = Failure(
        pointer=log.sheet.place(line),
        message_kind="admission_check",
        memory="device",
        backend="cuda",
        rank=line.speaker.rank,
        message=re.sub(r"\s{1,60}", " ", match[0])[:500],
    )
    log.refusals.add(line, failure, "noblocks")


def _version(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    log.version = log.version or match["version"]
    log.sheet.fact(line, "engine.name", "tensorrt-llm")
    log.sheet.fact(line, "engine.version", match["version"])


def _setting(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    log.sheet.fact(line, f"engine.settings.{match['key']}", match["value"])


def _parallel(log: TrtllmLog, line: Line, match: re.Match[str]) -> None:
    told = _logged_facts.pairs(match[0])
    for key, path in (("tensor", "tensor_parallel"), ("pipeline", "pipeline_parallel")):
        number = told.get(f"{key}_parallel_size", "")
        if number.isdigit():
            log.sheet.fact(line, f"placement.{path}", number)


_FAILURES: tuple[Rule[TrtllmLog], ...] = (
    Rule(
        "out of memory",
        r"(?P<told>CUDA runtime error in .{1,300}?: out of memory)(?P<bytes>)",
        _failed,
    ),
    Rule(
        "OutOfMemory",
        r"(?P<told>Error Code 2: OutOfMemory \((?:Requested size was (?P<bytes>[0-9]{1,18}) bytes"
        r"|no further information))",
        _failed,
    ),
    Rule("No free blocks left", r"Can't allocate new blocks\. No free blocks left", _no_blocks),
)
_FACTS: tuple[Rule[TrtllmLog], ...] = (
    Rule(
        "TensorRT-LLM version",
        r"TensorRT-LLM version: (?P<version>[0-9][\w.+]{1,40})",
        _version,
    ),
    Rule(
        "TRTGptModel ",
        r"TRTGptModel (?P<key>max(?:NumSequences|BatchSize|BeamWidth|SequenceLen|NumTokens)):"
        r" (?P<value>[0-9]{1,12})",
        _setting,
    ),
    Rule(
        "max_num_requests=",
        r"\b(?P<key>max_seq_len)=(?P<value>[0-9]{1,12}), max_num_requests=",
        _setting,
    ),
    Rule("parallel_size", r"\btensor_parallel_size[=:'\" ]{1,4}[0-9]{1,4}.{0,80}", _parallel),
)
_FIGURES = (*_trtllm_figures.RULES, *_FAILURES)
_RULES = (*_FACTS, *_FIGURES)
_OWN = (b"TensorRT-LLM]", b"TRT-LLM]", b"[TRT]", b"MemUsageChange")


def _accepts(content: bytes, name: str) -> int:
    own = any(words in content for words in _OWN)
    return 80 if own and said(content, _FIGURES) else 0


def _read(content: bytes, sha256: str) -> Reading:
    sheet = Sheet(sha256)
    log = TrtllmLog(sheet=sheet, refusals=Refusals(sheet))
    read_all(log, content, _RULES)
    if sheet.empty:
        raise nothing_found(content, sha256, "lines of TensorRT-LLM about memory")
    if log.decimal_label:
        sheet.warn(tell("unit_label_is_binary: KB, MB and GB in these lines are powers of 1024"))
    if sheet.planned:
        sheet.warn(
            tell(
                "budget_not_need: the paged KV cache follows from a fraction of what was free; it "
                "says what was taken, not what was needed"
            )
        )
    return sheet.reading("trtllm_log", log.shape, "cuda", log.version)


MEMBER = Importer(
    name="trtllm_log",
    title="Logs of TensorRT-LLM",
    accepts=_accepts,
    read=_read,
    anchors=words_of(_RULES),
    log=True,
)
