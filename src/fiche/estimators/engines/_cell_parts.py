"""Bytes of llama.cpp's caches, from its cells: what a layer of each kind stores of one position.

Read in the llama.cpp that llama-cpp-python 0.3.36 carries: `src/llama-kv-cache.cpp`, `llama-kv-cache-dsa.cpp`,
`llama-hparams.cpp`, `llama-memory-recurrent.cpp`; MLA by pull requests 12801 (April 2025) and 19067 (January
2026); ik_llama.cpp `src/llama.cpp`; estimators.md 2.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.estimators.engines._cells import Cells, all_cells, build, either_way, slots, window_cells
from fiche.estimators.engines._parts import (
    CROSS_ATTENTION_CACHE,
    KV_CACHE,
    RECURRENT_STATE,
    Part,
    convolution_bytes,
    expanded_bytes,
    latent_bytes,
    layers_said,
    older_columns,
    state_bytes,
    token_bytes,
)
from fiche.estimators.engines._settings import fact, number_or, said, since
from fiche.estimators.engines._widths import BLOCKS, Widths, block_width, widths
from fiche.kernel.figure import Node, either
from fiche.kernel.model import AttentionCache, Cache, CrossCache, LatentCache, Model, StateCache
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload

F16 = fact("llama_cpp", "f16", 2, tell("the cache is f16 unless told otherwise"), "B")
_F32 = fact("llama_cpp", "f32", 4, tell("recurrent states are f32"), "B")
_NOTHING = fact("llama_cpp", "nothing", 0, tell("nothing is kept between steps"), "B")
_EXPANDED = tell("files converted before April 2025 keep keys and values of every head")
_VALUES = tell("builds from April 2025 to January 2026 keep the compressed values a second time")
_INDEXED = tell("builds keep indexer keys in all layers, in some, or (before May 2026) in none")
_SPLIT = tell("layers lie whole on one device, or are cut over all of them (split-mode)")


def cache_widths(workload: Workload) -> Widths:
    """Bytes of a key and a value: formats of the fiche, else `cache_type_k` and `cache_type_v`, else f16."""
    if any(f"formats.{key}" in workload.facts for key in ("cache", "cache_key", "cache_value")):
        return widths(workload, F16)
    key, value = (said(workload, f"cache_type_{side}") for side in ("k", "v"))
    first = typed(key, "cache_type_k")
    return Widths(key=first, value=first if key == value else typed(value, "cache_type_v"))


def typed(name: str, key: str) -> Node:
    return block_width(name, f"engine.settings.{key}") if name in BLOCKS else F16


def _kept_expanded(model: Model, workload: Workload) -> bool | None:
    """Whether keys and values of every head are kept, as before MLA was absorbed (April 2025)."""
    told = build(workload)
    if since(told, "b5000") is False or _converted_early(model):
        return True
    return False if since(told, "b5350") else None


def _kept_twice(workload: Workload) -> bool | None:
    """Whether values are kept beside the compressed vector: until January 2026."""
    told = build(workload)
    if since(told, "b7950") or since(told, "b5000") is False:
        return False
    return True if since(told, "b5350") and since(told, "b7650") is False else None


def _converted_early(model: Model) -> bool:
    """A GGUF without the widths of MLA's heads is run expanded by every build."""
    return _gguf(model) and not _has_mla_keys(model)


def _gguf(model: Model) -> bool:
    return model.checkpoint is not None and model.checkpoint.format == "gguf"


def _has_mla_keys(model: Model) -> bool:
    assert model.checkpoint is not None
    return any(key.endswith(".attention.key_length_mla") for key in model.checkpoint.metadata)


def parts(cells: Cells, width: Widths) -> Iterator[Part]:
    """The parts of every cache of a model, in its order."""
    for cache in cells.model.caches:
        for part in _of(cache, cells, width):
            yield _placed(part, cells.workload)


def _placed(part: Part, workload: Workload) -> Part:
    devices = workload.figures.get("placement.tensor_parallel")
    if devices is None:
        return part
    return Part(part.item, part.step, part.label, either(part.node / devices, part.node, _SPLIT))


def _of(cache: Cache, cells: Cells, width: Widths) -> Iterator[Part]:
    match cache:
        case AttentionCache():
            yield _attention(cache, cells, width)
        case LatentCache():
            yield from _latent(cache, cells, width)
        case StateCache():
            yield from _states(cache, cells)
        case CrossCache():
            label = tell(
                "{layers} that read the encoder's output anew at every step",
                layers=layers_said(cache),
            )
            yield Part(CROSS_ATTENTION_CACHE, "encoder", label, _NOTHING)


def _attention(cache: AttentionCache, cells: Cells, width: Widths) -> Part:
    full = cache.reach == "full"
    held = all_cells(cells) if full else window_cells(cells, cache)
    layers = layers_said(cache)
    if full:
        label = tell("{layers} with cells for the context", layers=layers)
    else:
        label = tell("{layers} with cells for the windows", layers=layers)
    return Part(KV_CACHE, cache.reach, label, cache.count * held * token_bytes(cache, width))


def _latent(cache: LatentCache, cells: Cells, width: Widths) -> Iterator[Part]:
    held = all_cells(cells)
    once = latent_bytes(cache, width.key)
    twice = once + cache.latent * width.value
    absorbed = either_way(_kept_twice(cells.workload), twice, once, _VALUES)
    expanded = _kept_expanded(cells.model, cells.workload)
    each = either_way(expanded, expanded_bytes(cache, width), absorbed, _EXPANDED)
    label = tell("{layers} with cells for one compressed vector a token", layers=layers_said(cache))
    yield Part(KV_CACHE, "latent", label, cache.count * held * each)
    if cache.index_dim is not None:
        keys = either(cache.index_dim * width.key, _NOTHING, _INDEXED)
        said_of = tell("{layers} with indexer keys", layers=layers_said(cache))
        yield Part(KV_CACHE, "indexer", said_of, cache.count * held * keys)


def _states(cache: StateCache, cells: Cells) -> Iterator[Part]:
    copies = slots(cells) * (number_or(cells.workload, 0, "n_rs_seq") + 1)
    columns = cache.kernel if cache.kind == "rwkv" else older_columns(cache)
    label = tell("{layers} of {kind}, f32", layers=layers_said(cache), kind=cache.kind)
    kept = cache.count * copies * convolution_bytes(cache, _F32, columns)
    yield Part(
        RECURRENT_STATE, f"{cache.kind}_convolution", tell("{label}, columns", label=label), kept
    )
    state = cache.count * copies * state_bytes(cache, _F32)
    yield Part(RECURRENT_STATE, cache.kind, tell("{label}, states", label=label), state)
