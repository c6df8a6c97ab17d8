"""llama.cpp and ik_llama.cpp: cells that are allocated when a context is made, whatever is kept in them.

Rules in `_cells` and `_cell_parts`; estimators.md 2.3. ik_llama.cpp (`src/llama.cpp` of 2026) keeps the whole
context in sliding layers, and MLA by `mla_attn`: 0 every head, 1 to 3 the compressed vector, 1 without flash
attention a transposed copy of it as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.estimators._reading import word
from fiche.estimators.engines._cell_parts import cache_widths, parts
from fiche.estimators.engines._cells import (
    Cells,
    all_cells,
    attention_steps,
    cells_of,
    either_way,
    keeps_whole,
    steps,
)
from fiche.estimators.engines._lookup import plain
from fiche.estimators.engines._parts import KV_CACHE, Part, expanded_bytes, items, layers_said
from fiche.estimators.engines._settings import said, switch
from fiche.estimators.engines._widths import Widths
from fiche.kernel.doors import Engine
from fiche.kernel.figure import Node, either
from fiche.kernel.model import LatentCache, Model
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_LEFT_OUT = (
    tell("whether the stated context holds the tokens of every resident sequence"),
    tell(
        "settings that the fiche leaves out, at the program's defaults: n_ubatch 512, no "
        "speculation"
    ),
    tell(
        "values of layers that differ in width, which are padded to the widest without flash "
        "attention"
    ),
    tell("the cache of a draft model"),
)
_EXPANDED = tell("mla_attn is untold, or 0, which logs also print where MLA was switched on later")
_TRANSPOSED = tell(
    "without flash attention mla_attn 1 keeps a transposed copy of the compressed vector"
)
_BY_VALUE = tell("without flash attention the compressed vector is stored in the type of values")


def _cache(model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    if plain(word(workload, "engine.name")).startswith("ik"):
        rounded = attention_steps(workload)
        cells = cells_of(model, workload, case, whole=True, steps=rounded)
        return items(case, _ik_parts(cells), _LEFT_OUT)
    whole = keeps_whole(model, workload)
    cells = cells_of(model, workload, case, whole=whole, steps=steps(workload))
    return items(case, parts(cells, cache_widths(workload)), _LEFT_OUT)


def _ik_parts(cells: Cells) -> Iterator[Part]:
    width = cache_widths(cells.workload)
    latents = [cache for cache in cells.model.caches if isinstance(cache, LatentCache)]
    for cache in latents:
        label = tell(
            "{layers} with cells for one compressed vector a token",
            layers=layers_said(cache),
        )
        each = _ik_latent(cache, cells.workload, width)
        yield Part(KV_CACHE, "latent", label, cache.count * all_cells(cells) * each)
    others = tuple(cache for cache in cells.model.caches if not isinstance(cache, LatentCache))
    yield from parts(replace(cells, model=replace(cells.model, caches=others)), width)


def _ik_latent(cache: LatentCache, workload: Workload, width: Widths) -> Node:
    """Bytes of a position in one layer, by mode and flash attention."""
    mode = said(workload, "mla_attn", "mla")
    flash = switch(workload, "flash_attn", "flash_attention", "fa")
    held = cache.latent + cache.rope
    if width.key is width.value or mode == "1":
        absorbed: Node = held * width.key
    else:
        absorbed = either_way(flash, held * width.key, held * width.value, _BY_VALUE)
    if mode not in ("2", "3"):
        copied = absorbed + cache.latent * width.value
        absorbed = either_way(flash, absorbed, copied, _TRANSPOSED)
    if mode in ("1", "2", "3"):
        return absorbed
    return either(absorbed, expanded_bytes(cache, width), _EXPANDED)


MEMBER = Engine(
    name="llama_cpp",
    title="llama.cpp",
    source="estimators.md 2.3; src/llama-kv-cache.cpp, llama-kv-cache-iswa.cpp, llama-memory-recurrent.cpp",
    names=(
        *("llama.cpp", "llama-server", "llama-cli", "llama-cpp-python"),
        *("ik_llama.cpp", "ik_llama"),
    ),
    covered="sources of 2026; older builds by pull requests, placed by date; ik_llama.cpp of 2026",
    settings=(
        "n_ctx",
        "n_seq_max",
        "n_ubatch",
        "kv_unified",
        "swa_full",
        "flash_attn",
        "cache_type_k",
        "cache_type_v",
        "mla_attn",
        "n_rs_seq",
        "cells",
        "swa_cells",
    ),
    cache=_cache,
)
