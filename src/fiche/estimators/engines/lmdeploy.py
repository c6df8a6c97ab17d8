"""LMDeploy: blocks of 64 tokens, quantised by quant_policy.

Read in LMDeploy 0.18.0: `messages.py` (blocks), `pytorch/engine/cache_engine/schema.py` (shapes, scales,
MLA) and `pytorch/configurations/deepseek_v2.py` (no values beside the compressed vector). The pool takes
`cache_max_entry_count` of what is free: that is no need of a load.
"""

from __future__ import annotations

from fiche.estimators.engines._paged import (
    Store,
    at_least,
    encoder_positions,
    not_known,
    one_state,
    paged,
)
from fiche.estimators.engines._parts import items
from fiche.estimators.engines._settings import default, fact, figure_or, said
from fiche.estimators.engines._widths import computed_width, widths
from fiche.estimators.engines._worlds import Axis
from fiche.kernel.doors import Engine
from fiche.kernel.figure import Node, either
from fiche.kernel.model import AttentionCache, LatentCache, Model, StateCache
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_LEFT_OUT = (
    tell("the rest of the pool, which takes cache_max_entry_count of what is free"),
    tell("blocks of cached prefixes that no running request uses, and tokens drafted ahead"),
)
_BLOCK = default("lmdeploy", "block", 64)
_BYTE = fact("lmdeploy", "byte", 1, tell("bytes of an 8-bit value"), "B")
_PACKED = fact(
    "lmdeploy", "packed_latent", 656, tell("bytes of a token packed for sparse MLA"), "B"
)
_WINDOW = tell("sliding layers hold the window, or all tokens where blocks are not freed behind it")
_VALUES_OF = {"4": 2, "8": 1}


def _cache(model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    block = figure_or(workload, _BLOCK, "block_size", "cache_block_seq_len")
    store = Store(
        token=lambda cache: _token(cache, workload),
        latent=lambda cache: _latent(cache, workload),
        index=lambda cache: at_least(_key(cache), "lmdeploy", tell("an indexer key")),
        state=lambda cache: at_least(
            _state(cache, workload), "lmdeploy", tell("a recurrent state")
        ),
        cross=lambda cache: at_least(
            encoder_positions(cache, case, _plain(workload)), "lmdeploy", tell("an encoder cache")
        ),
    )
    parts = paged(model, workload, case, Axis("block", block, block), store, _WINDOW)
    return items(case, parts, _LEFT_OUT)


def _token(cache: AttentionCache, workload: Workload) -> Node:
    """Keys and values; int8 and int4 with a scale and a zero point a head, in the model's format."""
    policy = said(workload, "quant_policy")
    if policy in _VALUES_OF:
        packed = (cache.key_dim + cache.value_dim) / _VALUES_OF[policy] * _BYTE
        return cache.kv_heads * (packed + 4 * computed_width(workload))
    if policy in ("", "0", "16", "17"):
        width = _BYTE if policy in ("16", "17") else _plain(workload)
        return cache.kv_heads * (cache.key_dim + cache.value_dim) * width
    return not_known("lmdeploy", tell("a token under quant policy {policy}", policy=policy))


def _latent(cache: LatentCache, workload: Workload) -> Node:
    plain = (cache.latent + cache.rope) * _plain(workload)
    if cache.index_dim is None:
        return plain
    return either(_PACKED, plain, tell("a sparse model's cache is packed over fp8, or not"))


def _key(cache: LatentCache) -> Node:
    assert cache.index_dim is not None
    return cache.index_dim * _BYTE


def _state(cache: StateCache, workload: Workload) -> Node:
    width = computed_width(workload)
    return one_state(cache, width, width)


def _plain(workload: Workload) -> Node:
    return widths(workload, computed_width(workload)).key


MEMBER = Engine(
    name="lmdeploy",
    title="LMDeploy",
    source="lmdeploy/messages.py, lmdeploy/pytorch/engine/cache_engine/schema.py",
    names=("lmdeploy", "turbomind"),
    covered="0.18.0; recurrent states, indexer keys and encoder caches are not covered",
    settings=("block_size", "cache_block_seq_len", "quant_policy"),
    cache=_cache,
)
