"""Logs of llama.cpp from 2023 to 2026, of ik_llama.cpp and of programs around them.

Read in the llama.cpp that llama-cpp-python 0.1.83, 0.2.55, 0.3.8, 0.3.16 and 0.3.36 carry (`llama.cpp`,
`src/llama-context.cpp`, `src/llama-kv-cache.cpp`, `common/fit.cpp`, `ggml-cuda.cu`); evidence_formats 6.4 and
1.3. Buffers are the program's own account, in units of 2**20, also where old builds say MB; the driver's
context, cuBLAS and pools are in none of them. Sums of listed buffers are counted once.
"""

from __future__ import annotations

from fiche.importers import (
    _llamacpp_breakdown,
    _llamacpp_facts,
    _llamacpp_failures,
    _llamacpp_figures,
)
from fiche.importers._ggml_words import OWN
from fiche.importers._llamacpp_buffers import LlamaLog
from fiche.importers._logged import read_all, said, words_of
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

# Failures first: a buffer that is printed later shows that the program went on.
_FIGURES = (
    *_llamacpp_failures.RULES,
    *_llamacpp_figures.RULES,
    *_llamacpp_breakdown.RULES,
)
_RULES = (*_llamacpp_facts.RULES, *_llamacpp_failures.DRIVER, *_FIGURES)


def _accepts(content: bytes, name: str) -> int:
    if said(content, _FIGURES):
        return 80
    own = any(words in content for words in OWN)
    return 70 if own and said(content, _llamacpp_failures.DRIVER) else 0


def _read(content: bytes, sha256: str) -> Reading:
    log = LlamaLog(sheet=Sheet(sha256))
    read_all(log, content, _RULES)
    _llamacpp_breakdown.settle(log)
    log.settle()
    if log.sheet.empty:
        raise nothing_found(content, sha256, "lines of llama.cpp about memory")
    _doubts(log)
    failed_only = log.sheet.failures and not log.sheet.observations
    shape = "llama-oom" if failed_only else log.shape
    return log.sheet.reading("llamacpp_log", shape, log.backend, log.version)


def _doubts(log: LlamaLog) -> None:
    sheet = log.sheet
    if log.buffers:
        sheet.warn(
            tell(
                "own_buffers_only: these are buffers by llama.cpp's own account; the driver's "
                "context, cuBLAS and memory pools come on top"
            )
        )
    if log.projected:
        sheet.warn(
            tell(
                "projection: a table tells of more than the device holds: it was planned, nothing "
                "was allocated"
            )
        )
    if any(failure.truncated for failure in sheet.failures):
        sheet.warn(tell("truncated: a message breaks off; what it did not print is not known"))
    if any(failure.recovered for failure in sheet.failures):
        sheet.warn(tell("recovered: an allocation failed, and the program went on with less"))


MEMBER = Importer(
    name="llamacpp_log",
    title="Logs of llama.cpp",
    accepts=_accepts,
    read=_read,
    anchors=words_of(_RULES),
    log=True,
)
