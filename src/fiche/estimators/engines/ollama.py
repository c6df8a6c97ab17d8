"""Ollama: a context for each parallel request, in llama.cpp's cells or in those of its own engine.

`docs/faq.mdx` (num_ctx x OLLAMA_NUM_PARALLEL, cache types with flash attention only) and `kvcache/causal.go`
(sliding layers keep a window a sequence and one batch, or everything where the window is no shorter), read in
the repository's state of 2026. Since pull request 16031 (May 2026) models run in llama-server alone; which
release was the first is not known here, so both rules count. What Ollama estimates before loading is not what
it then allocates, and is not used here.
"""

from __future__ import annotations

from fiche.estimators.engines._cell_parts import F16, cache_widths, parts, typed
from fiche.estimators.engines._cells import Cells, attention_steps, cells_of, either_way
from fiche.estimators.engines._parts import items
from fiche.estimators.engines._settings import number, said, switch
from fiche.estimators.engines._widths import Widths
from fiche.kernel.doors import Engine
from fiche.kernel.figure import Node, either
from fiche.kernel.model import Model
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_LEFT_OUT = (
    tell("whether num_ctx holds the tokens of a request"),
    tell(
        "settings that the fiche leaves out, at the program's defaults: num_batch 512, no "
        "speculation"
    ),
    tell("layers that Ollama leaves in host memory"),
)
_PARALLEL = tell(
    "num_parallel is untold: the resident sequences, or up to four that older releases choose"
)
_FLASH = tell("a cache type other than f16 is used with flash attention only")


def _cache(model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    return items(case, parts(_cells(model, workload, case), _widths(workload)), _LEFT_OUT)


def _cells(model: Model, workload: Workload, case: Case | None) -> Cells:
    """Cells of num_ctx for each parallel request; sliding layers by the engine, or all of it."""
    cells = cells_of(model, workload, case, whole=None, steps=attention_steps(workload))
    stated = number(workload, "num_parallel", "ollama_num_parallel")
    low, high = cells.slots if stated is None else (stated, stated)
    each = number(workload, "num_ctx", "ollama_context_length")
    parallel = low if low is high else either(low, high, _PARALLEL)
    context = cells.context if each is None else each * parallel
    return replace(cells, slots=(low, high), context=context, unified=True)


def _widths(workload: Workload) -> Widths:
    told = said(workload, "kv_cache_type", "ollama_kv_cache_type")
    if not told or "formats.cache" in workload.facts:
        return cache_widths(workload)
    flash = switch(workload, "flash_attention", "ollama_flash_attention", "flash_attn")
    width = either_way(flash, typed(told, "kv_cache_type"), F16, _FLASH)
    return Widths(key=width, value=width)


MEMBER = Engine(
    name="ollama",
    title="Ollama",
    source="estimators.md 2.3; docs/faq.mdx, kvcache/causal.go",
    names=("ollama",),
    covered="sources of 2026, before and after llama-server; no release told apart",
    settings=("num_ctx", "num_parallel", "kv_cache_type", "flash_attention", "num_batch"),
    cache=_cache,
)
