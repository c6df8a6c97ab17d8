"""Refusals of vLLM to start: its own arithmetic says that something will not fit (C11).

Nothing was asked of the device, so none of them is an out-of-memory event, and a budget in the message is
no need. Measured in them are only the free and the total memory of the device.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from fiche.importers._figures import grouped
from fiche.importers._lines import GROUPED, NUMBER, Line
from fiche.importers._logged import Counter, Rule, gib, note
from fiche.importers._vllm_figures import KV_CACHE, KV_TOKENS
from fiche.importers._vllm_speaker import VllmLog
from fiche.kernel.piece import Failure, Printed
from fiche.kernel.said import tell

_SHOWN = 500
_BUDGET = tell("the budget asked for by a setting, not a need")
_ONE_REQUEST = Counter("vllm.kv_cache_one_request", "process", "need", "estimated")


def _refused(
    log: VllmLog,
    line: Line,
    match: re.Match[str],
    quantities: Mapping[str, Printed] | None = None,
    device_index: int | None = None,
    memory: str = "device",
    *,
    truncated: bool = False,
) -> bool:
    rank = log.rank(line)
    failure = Failure(
        pointer=log.sheet.place(line),
        message_kind="admission_check",
        memory=memory,
        backend=log.backend if memory == "device" else None,
        device_index=device_index,
        rank=None if rank == "main" else rank,
        quantities=quantities or {},
        truncated=truncated,
        message=re.sub(r"\s{1,200}", " ", match[0])[:_SHOWN],
    )
    return log.refusals.add(line, failure, re.sub(r"\s{1,200}", "", match[0]))


def _plain(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    _refused(log, line, match)


def _on_startup(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    free, whole = gib(match["free"]), gib(match["total"])
    index, cut = None if match["index"] is None else int(match["index"]), not match["desired"]
    figures = {"total_capacity": whole, "free": free}
    new = _refused(log, line, match, figures, index, truncated=cut)
    if cut:
        return
    if new:
        log.sheet.plan(line, match["desired"], _BUDGET)
    log.sheet.fact(line, "engine.settings.gpu_memory_utilization", match["share"])


def _held_outside(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    index = None if match["index"] is None else int(match["index"])
    if _refused(log, line, match, {"total_capacity": gib(match["total"])}, index):
        log.sheet.plan(line, match["desired"], _BUDGET)


def _one_request(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    """0.7 on: what one request of the whole length would need, computed, against the budget."""
    cut = not match["figures"]
    if not _refused(log, line, match, truncated=cut) or cut:
        return
    log.decimal_label |= match["label"] == "GB"
    label, rank = f" {match['label']}", log.rank(line)
    marks = {"at_tokens": grouped(match["length"])}
    note(log.sheet, line, _ONE_REQUEST, gib(match["needed"], label), rank=rank, marks=marks)
    note(log.sheet, line, KV_CACHE, gib(match["kept"], label), rank=rank)
    reason = tell("computed from the model's length and a setting: neither figure was measured")
    log.sheet.plan(line, match["figures"], reason)


def _too_long(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    if _refused(log, line, match):
        tokens = grouped(match["tokens"])
        note(log.sheet, line, KV_TOKENS, tokens, unit="tokens", rank=log.engine(line))


def _swap(log: VllmLog, line: Line, match: re.Match[str]) -> None:
    _refused(log, line, match, {"requested": gib(match["swap"])}, memory="host")


_DEVICE = r"(?:(?:cuda|xpu):(?P<index>[0-9]{1,4}) |[a-z]{2,8} )?"
RULES: tuple[Rule[VllmLog], ...] = (
    Rule(
        ("Free memory on device", "on startup is"),
        rf"Free memory on device {_DEVICE}\( (?P<free>{NUMBER}) / (?P<total>{NUMBER}) GiB \) on startup is"
        r"(?: less than (?:desired GPU memory utilization|the engine's budget after excluding external"
        rf" process's weights) (?P<desired>\( (?P<share>[0-9.]{{1,20}}), {NUMBER} GiB \)))?",
        _on_startup,
        whole=True,
    ),
    Rule(
        ("Externally held weights", "exceed the"),
        rf"Externally held weights on device {_DEVICE}\( {NUMBER} / (?P<total>{NUMBER}) GiB \) exceed the"
        rf" desired GPU memory utilization (?P<desired>\( [0-9.]{{1,20}}, {NUMBER} GiB \))",
        _held_outside,
    ),
    Rule(
        ("available memory for", "cache blocks"),
        r"No available memory for the cache blocks",
        _plain,
    ),
    Rule(
        ("s max seq len", "stored in KV cache"),
        rf"The model's max seq len \( (?:{GROUPED}) \) is larger than the maximum number of tokens that can be"
        rf" stored in KV cache \( (?P<tokens>{GROUPED}) \)",
        _too_long,
    ),
    Rule(
        ("To serve at least one request", "KV cache is needed"),
        rf"To serve at least one request with the model(?:'?s|s's) max seq len \( (?P<length>{GROUPED}) \)"
        rf"(?:, \(?(?P<figures>(?P<needed>{NUMBER}) (?P<label>Gi?B) KV cache is needed, which is larger than"
        rf" the available KV cache memory \( (?P<kept>{NUMBER}) Gi?B \)))?",
        _one_request,
        whole=True,
    ),
    Rule(
        "annot auto-fit max_model_len",
        r"Cannot auto-fit max_model_len: not enough GPU memory available to serve even a single token",
        _plain,
    ),
    Rule(
        "rror in memory profiling",
        rf"Error in memory profiling\. Initial (?:free|used) memory {NUMBER}",
        _plain,
    ),
    Rule(
        "oo large swap space",
        rf"Too large swap space\. (?P<swap>{NUMBER}) GiB out of the {NUMBER} GiB total CPU memory",
        _swap,
    ),
)
