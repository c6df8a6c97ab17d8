"""Logs of SGLang 0.3 to 0.5: free memory at each step of the start, pools that were made, refusals.

Read in sglang 0.3.6, 0.4.0, 0.4.6, 0.5.1, 0.5.9 and 0.5.23 (`srt/model_executor`, `srt/mem_cache`,
`srt/managers/scheduler.py`); evidence_formats 6.2. `GB` is 2**30 bytes on the device and 1e9 in the host
tier. `avail mem` is what is free on the device for every process (cudaMemGetInfo), so `mem usage`, the
difference of two of them, holds what other processes did meanwhile. Pools follow from mem_fraction_static.
"""

from __future__ import annotations

from fiche.importers import _logged_environment, _sglang_figures, _sglang_refusals
from fiche.importers._logged import Rule, read_all, said, words_of
from fiche.importers._sglang_facts import RULES as FACTS
from fiche.importers._sglang_figures import SglangLog
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_FIGURES = (*_sglang_figures.RULES, *_sglang_refusals.RULES)
_RULES: tuple[Rule[SglangLog], ...] = (*_logged_environment.RULES, *FACTS, *_FIGURES)


def _accepts(content: bytes, name: str) -> int:
    return 80 if said(content, _FIGURES) else 0


def _read(content: bytes, sha256: str) -> Reading:
    log = SglangLog.of(sha256)
    read_all(log, content, _RULES)
    sheet = log.sheet
    if sheet.empty:
        raise nothing_found(content, sha256, "lines of SGLang about memory")
    if log.device_figures:
        sheet.warn(tell("unit_label_is_binary: GB is 2**30 bytes for what lies on the device"))
    if log.host_figures:
        sheet.warn(
            tell("unit_label_is_decimal: GB is 10**9 bytes for the host's part of the cache")
        )
    if sheet.planned:
        sheet.warn(
            tell(
                "budget_not_need: pools of the cache follow from mem_fraction_static; they say what "
                "was taken, not what was needed"
            )
        )
    if log.differences:
        sheet.warn(
            tell(
                "device_wide_difference: mem usage is a difference of free memory of the whole "
                "device; what other processes took or gave back meanwhile is in it"
            )
        )
    shape = log.shape if sheet.observations or sheet.planned else "sglang-refused"
    return sheet.reading("sglang_log", shape, log.backend, log.version)


MEMBER = Importer(
    name="sglang_log",
    title="Logs of SGLang",
    accepts=_accepts,
    read=_read,
    anchors=words_of(_RULES),
    log=True,
)
