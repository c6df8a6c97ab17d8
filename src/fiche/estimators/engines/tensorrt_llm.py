"""TensorRT-LLM: blocks of tokens_per_block tokens in a pool for each window.

`docs/source/features/kvcache.md` (blocks, windows), `llmapi/llm_args.py` (32 tokens a block), the plugin
settings of 0.x (64) and the cache managers' bytes a token (MLA once for keys, an indexer's fp8 keys with a
scale), read at their state of 2026. Blocks that leave a window are freed. The pool takes
`free_gpu_memory_fraction` of what is free: that is no need of a load.
"""

from __future__ import annotations

from fiche.estimators.engines._paged import Store, at_least, encoder_positions, one_state, paged
from fiche.estimators.engines._parts import items
from fiche.estimators.engines._settings import fact, figure_or, said
from fiche.estimators.engines._widths import cache_format, computed_width, widths
from fiche.estimators.engines._worlds import Axis
from fiche.kernel.doors import Engine
from fiche.kernel.figure import Node
from fiche.kernel.model import AttentionCache, LatentCache, Model, StateCache
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_LEFT_OUT = (
    tell("the rest of the pools, which take free_gpu_memory_fraction of what is free"),
    tell("blocks of cached prefixes that no running request uses, and tokens drafted ahead"),
)
_BLOCK = tell("tokens_per_block is untold: 32, or 64 in engines built by older releases")
_WINDOW = tell(
    "sliding layers hold the window, or all tokens where max_attention_window is one for all"
)
_LEAST = fact("tensorrt_llm", "tokens_per_block", 32, tell("tokens of a block by default"))
_MOST = fact("tensorrt_llm", "older_block", 64, tell("tokens of a block in older engines"))
_BYTE = fact("tensorrt_llm", "byte", 1, tell("bytes of an 8-bit value"), "B")
_SCALE = fact("tensorrt_llm", "scale_bytes", 4, tell("one fp32 scale of an indexer key"), "B")
_INDEX = fact(
    "tensorrt_llm", "index_block", 128, tell("values of an indexer key that share a scale")
)
_EIGHT = ("fp8", "int8", "fp8_e4m3")


def _cache(model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    low, high = (figure_or(workload, end, "tokens_per_block") for end in (_LEAST, _MOST))
    width = _width(workload)
    store = Store(
        token=lambda cache: _token(cache, width),
        latent=lambda cache: (cache.latent + cache.rope) * width,
        index=_index,
        state=lambda cache: _state(cache, workload),
        cross=lambda cache: at_least(
            encoder_positions(cache, case, width), "tensorrt_llm", tell("an encoder cache")
        ),
    )
    parts = paged(model, workload, case, Axis("block", low, high, _BLOCK), store, _WINDOW)
    return items(case, parts, _LEFT_OUT)


def _token(cache: AttentionCache, width: Node) -> Node:
    if cache.key_dim is cache.value_dim:
        return 2 * cache.kv_heads * cache.key_dim * width
    return cache.kv_heads * (cache.key_dim + cache.value_dim) * width


def _index(cache: LatentCache) -> Node:
    assert cache.index_dim is not None
    return cache.index_dim * _BYTE + cache.index_dim / _INDEX * _SCALE


def _width(workload: Workload) -> Node:
    """Bytes of a value: 8 bits, NVFP4 with one 8-bit scale for every 16, or the model's format."""
    told = said(workload, "kv_cache_dtype", "dtype")
    if told in _EIGHT:
        return _BYTE
    if told == "nvfp4" or cache_format(workload) == "nvfp4":
        return _BYTE / 2 + _BYTE / 16
    return widths(workload, computed_width(workload)).key


def _state(cache: StateCache, workload: Workload) -> Node:
    """At least one state in the model's format: that it is wider, or kept more than once, is not told."""
    width = computed_width(workload)
    return at_least(one_state(cache, width, width), "tensorrt_llm", tell("a recurrent state"))


MEMBER = Engine(
    name="tensorrt_llm",
    title="TensorRT-LLM",
    source="estimators.md 2.3; docs/source/features/kvcache.md",
    names=("tensorrt-llm", "trtllm", "trt-llm"),
    covered="0.x to 1.4; the most that recurrent states take, and encoder caches, are not covered",
    settings=("tokens_per_block", "kv_cache_dtype", "dtype"),
    cache=_cache,
)
