"""Logs of vLLM 0.2 to 0.33: what loading, profiling and graph capture took, and refusals to start.

Read in vllm 0.2.7, 0.5.5, 0.6.3, 0.6.6, 0.7.3, 0.8.5, 0.9.2, 0.10.1, 0.11.0, 0.12.0, 0.14.0, 0.16.0, 0.18.0,
0.21.0, 0.27.0 and 0.33.0 (`worker/worker.py`, `v1/worker/gpu_worker.py`, `gpu_model_runner.py`, `v1/core`);
evidence_formats 6.1. Every figure is in units of 2**30 bytes, `GB` as well. What follows from
gpu_memory_utilization (blocks, tokens, concurrency) is a budget; a refusal is no lack that was met (C11).
"""

from __future__ import annotations

from fiche.importers import _logged_environment, _vllm_figures, _vllm_refusals
from fiche.importers._logged import Rule, read_all, said, words_of
from fiche.importers._unsupported import nothing_found
from fiche.importers._vllm_facts import RULES as FACTS
from fiche.importers._vllm_facts import shape_of
from fiche.importers._vllm_speaker import VllmLog, log_of
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_FIGURES = (*_vllm_figures.RULES, *_vllm_refusals.RULES)
_RULES: tuple[Rule[VllmLog], ...] = (*_logged_environment.RULES, *FACTS, *_FIGURES)


def _accepts(content: bytes, name: str) -> int:
    return 80 if said(content, _FIGURES) else 0


def _read(content: bytes, sha256: str) -> Reading:
    log = log_of(content, sha256)
    read_all(log, content, _RULES)
    if log.sheet.empty:
        raise nothing_found(content, sha256, "lines of vLLM about memory")
    _doubts(log)
    return log.sheet.reading("vllm_log", shape_of(log), log.backend, log.version)


def _doubts(log: VllmLog) -> None:
    sheet = log.sheet
    if log.decimal_label:
        sheet.warn(tell("unit_label_is_binary: GB in these lines is 2**30 bytes"))
    if any(seen.kind_of_origin == "budget" for seen in sheet.planned):
        sheet.warn(
            tell(
                "budget_not_need: the size of the KV cache follows from gpu_memory_utilization; it "
                "says what was taken, not what was needed"
            )
        )
    if any(failure.truncated for failure in sheet.failures):
        sheet.warn(tell("truncated: a message breaks off; what it did not print is not known"))
    if any(failure.message_kind == "admission_check" for failure in sheet.failures):
        sheet.warn(
            tell(
                "refused_by_arithmetic: the program refused to start by its own arithmetic; no "
                "allocation failed"
            )
        )


MEMBER = Importer(
    name="vllm_log",
    title="Logs of vLLM",
    accepts=_accepts,
    read=_read,
    anchors=words_of(_RULES),
    log=True,
)
