"""Cells of llama.cpp's caches: how many positions it allocates, whatever the tokens really kept.

Read in the llama.cpp that llama-cpp-python 0.3.36 carries: `src/llama-context.cpp` (context),
`src/llama-kv-cache-iswa.cpp` (window), `tools/server/server.cpp` (slots). Older rules by their pull requests:
7257 (May 2024, steps by flash attention), 13194 (May 2025, windows and one batch), 13833 (from b5554, windows
and one micro-batch), 16812 (October 2025, no steps) and 17046 (November 2025, steps of 256).

Which build carries a pull request was placed by dates of builds that issues name (b4079 November 2024, b4621
February 2025, b5604 June 2025, b6490 September 2025, b7599 January 2026), not read: hundreds of builds around
each change count under both rules.
"""

from __future__ import annotations

from collections.abc import Callable

from fiche.estimators._reading import missing, word
from fiche.estimators.engines._settings import default, fact, number, padded, since, switch
from fiche.estimators.engines._tokens import sequences, tokens_kept
from fiche.kernel.figure import Node, ceil, either, floor, larger, smaller
from fiche.kernel.model import AttentionCache, Model
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.unit import count_of
from fiche.kernel.version import Version, parse_version
from fiche.kernel.workload import Case, Workload

CONTEXT = ("n_ctx", "ctx_size", "context_size")
SLOTS = ("n_seq_max", "n_parallel", "parallel")
_PADS = {
    count: fact(
        "llama_cpp",
        f"step_{count}",
        count,
        tell("cells come in steps of {count}", count=count),
        "cells",
    )
    for count in (1, 32, 256)
}
_SERVER_SLOTS = fact("llama_cpp", "server_slots", 4, tell("slots of a server that is told none"))
_UBATCH = default("llama_cpp", "n_ubatch", 512)

_UNIFIED = tell("whether all slots share one cache (kv_unified) is untold")
_WHOLE = tell(
    "builds before May 2025, swa_full, and models whose windows are not read, keep the context"
)
_STEP = tell("builds pad cells to 256, to 32 without flash attention, or not at all")
_TRAINED = tell(
    "n_ctx is untold: the tokens of this case, or the context that the model was trained with"
)
_SLOT = tell("the slots are untold: those of the resident sequences, or four of a server")


@record(eq=False)
class Cells:
    """What the count of cells depends on; None where the fiche does not tell.

    `context` is the stated context over all slots. `slots`: as stated, else those of the resident sequences
    and the four of a server that is told none, which then share one cache. `unified`: all slots share one
    cache. `whole`: sliding layers keep the whole context. `steps`: the least and the most by which a build
    rounds cells up.
    """

    model: Model
    workload: Workload
    case: Case | None
    context: Node | None
    slots: tuple[Node, Node]
    unified: bool | None
    whole: bool | None
    steps: tuple[int, int]


def cells_of(
    model: Model,
    workload: Workload,
    case: Case | None,
    *,
    whole: bool | None,
    steps: tuple[int, int],
) -> Cells:
    """The cells as llama.cpp's own settings tell them."""
    resident, stated = sequences(case), number(workload, *SLOTS)
    untold = resident, larger(resident, _SERVER_SLOTS)
    return Cells(
        model=model,
        workload=workload,
        case=case,
        context=number(workload, *CONTEXT),
        slots=untold if stated is None else (stated, stated),
        unified=switch(workload, "kv_unified"),
        whole=whole,
        steps=steps,
    )


def build(workload: Workload) -> Version | None:
    """The build number (`b6123`, or 6123), None where the version is untold or of another kind."""
    told = word(workload, "engine.version")
    found = parse_version(f"b{told}" if told.isdecimal() else told)
    return found if isinstance(found, Version) else None


def steps(workload: Workload) -> tuple[int, int]:
    """By how many cells a build rounds up: the least and the most that it may be."""
    told = build(workload)
    if since(told, "b7150"):
        return 256, 256
    if since(told, "b6700") is False and since(told, "b3100"):
        return attention_steps(workload)
    return 1, 256


def attention_steps(workload: Workload) -> tuple[int, int]:
    """256 with flash attention, 32 without."""
    flash = switch(workload, "flash_attn", "flash_attention", "fa")
    return (32, 256) if flash is None else (256, 256) if flash else (32, 32)


def keeps_whole(model: Model, workload: Workload) -> bool | None:
    """Whether sliding layers keep the whole context; None where it is untold.

    Families whose every layer slides (Mistral v0.1) are converted without a window by most builds.
    """
    attention = [cache for cache in model.caches if isinstance(cache, AttentionCache)]
    mixed = any(cache.reach == "full" for cache in attention)
    told = switch(workload, "swa_full")
    if told:
        return True
    if since(build(workload), "b5300") is False:
        return True
    windowed = told is False or since(build(workload), "b5600")
    return False if windowed and mixed else None


def all_cells(cells: Cells) -> Node:
    """Positions of the layers that keep the whole context, over all slots."""
    stated = number(cells.workload, "cells")
    if stated is not None:
        return padded(stated, _PADS[1])
    shared = _shared(cells)
    apart = _apart(cells, cells.slots[0])
    return either_way(cells.unified, shared, apart, _UNIFIED)


def window_cells(cells: Cells, cache: AttentionCache) -> Node:
    """Positions of sliding layers over all slots: windows of the slots and one micro-batch."""
    stated = number(cells.workload, "swa_cells")
    if stated is not None:
        return padded(stated, _PADS[1])
    everything = all_cells(cells)
    if cells.whole or cache.window is None:
        return everything
    window = cache.window
    shared = _by_slots(cells, lambda slots: _stepped(cells, window * slots))
    apart = cells.slots[0] * _stepped(cells, window)
    windows = smaller(everything, either_way(cells.unified, shared, apart, _UNIFIED))
    return either_way(cells.whole, everything, windows, _WHOLE)


def slots(cells: Cells) -> Node:
    """Slots, each with its own state."""
    return between(*cells.slots, _SLOT)


def _shared(cells: Cells) -> Node:
    """One cache for all slots."""
    if cells.context is not None:
        return _rounded(cells, cells.context)
    needed = tokens_kept(cells.case, cells.workload) * sequences(cells.case)
    return _untold(cells, _rounded(cells, needed))


def _apart(cells: Cells, slots: Node) -> Node:
    """One cache a slot: the context is dealt out, and each share rounded up."""
    if cells.context is not None:
        return slots * _rounded(cells, floor(cells.context / slots))
    return _untold(cells, slots * _rounded(cells, tokens_kept(cells.case, cells.workload)))


def _untold(cells: Cells, needed: Node) -> Node:
    """Between what the case needs and the context that the model was trained with, the default."""
    return either(needed, larger(needed, _rounded(cells, _trained(cells))), _TRAINED)


def _rounded(cells: Cells, count: Node) -> Node:
    low, high = (padded(count, _PADS[step]) for step in cells.steps)
    return low if cells.steps[0] == cells.steps[1] else either(low, high, _STEP)


def _stepped(cells: Cells, windows: Node) -> Node:
    """Windows and one micro-batch, rounded up together."""
    batch = _micro_batch(cells.workload)
    low, high = (
        ceil(windows / _PADS[step] + batch / _PADS[step]) * _PADS[step] for step in cells.steps
    )
    return low if cells.steps[0] == cells.steps[1] else either(low, high, _STEP)


def _by_slots(cells: Cells, rule: Callable[[Node], Node]) -> Node:
    low, high = cells.slots
    return rule(low) if low is high else either(rule(low), rule(high), _SLOT)


def either_way(told: bool | None, yes: Node, no: Node, because: str) -> Node:
    """One of two readings, or their hull where it is untold which."""
    return either(yes, no, because) if told is None else yes if told else no


def between(low: Node, high: Node, because: str) -> Node:
    """The hull of two nodes; the node itself where they are one."""
    return low if low is high else either(low, high, because)


def _micro_batch(workload: Workload) -> Node:
    stated = number(workload, "n_ubatch", "ubatch_size", "num_batch")
    return _UBATCH if stated is None else stated


def _trained(cells: Cells) -> Node:
    if cells.model.positions is not None:
        return cells.model.positions
    text = tell("state engine.settings.n_ctx: untold, the program takes the model's whole context")
    return missing("llama_cpp.n_ctx_train", count_of("tokens"), "context", text)
