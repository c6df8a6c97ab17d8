"""SGLang: a pool of tokens, in pages where a page size is set.

Read in SGLang 0.5.23: `srt/mem_cache/memory_pool.py` (keys and values, MLA, sparse indexer, FP4),
`swa_memory_pool.py` (a pool for sliding layers), `srt/configs/model_config.py` (heads a device),
`srt/configs/mamba_utils.py` (formats of states), `kv_cache_configurator.py` (slots of states a request).
The pool takes what `mem_fraction_static` leaves: that is no need of a load.
"""

from __future__ import annotations

from fiche.estimators.engines._paged import Store, at_least, encoder_positions, one_state, paged
from fiche.estimators.engines._parts import items
from fiche.estimators.engines._settings import config_word, default, fact, figure_or, said, switch
from fiche.estimators.engines._widths import cache_format, computed_width, widths
from fiche.estimators.engines._worlds import Axis
from fiche.kernel.doors import Engine
from fiche.kernel.figure import Node, either
from fiche.kernel.model import AttentionCache, LatentCache, Model, StateCache
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_LEFT_OUT = (
    tell("the rest of the pool, which takes what mem_fraction_static leaves"),
    tell("one page more that the pool keeps as a scratch page"),
    tell("tokens of cached prefixes that no running request uses, and tokens drafted ahead"),
)
_PAGE = tell("page_size is untold: 1, or 16 to 128 where an attention backend asks for it")
_WINDOW = tell("sliding layers hold the window, or all tokens where they have no pool of their own")
_SLOTS = tell("a state a request, or up to five where prefixes are cached")
_LEAST = default("sglang", "page_size", 1)
_MOST = fact(
    "sglang", "largest_page", 128, tell("the largest page that an attention backend asks for")
)
_BYTE = fact("sglang", "byte", 1, tell("bytes of an 8-bit value"), "B")
_PACKED = fact(
    "sglang", "packed_latent", 656, tell("512 fp8, 4 fp32 scales and 64 bf16 values"), "B"
)
_SCALE = fact("sglang", "scale_bytes", 4, tell("one fp32 scale of an indexer key"), "B")
_INDEX_BLOCK = fact(
    "sglang", "index_block", 128, tell("values of an indexer key that share a scale")
)
_FULL = {"float32": 4, "bfloat16": 2, "float16": 2, "bf16": 2}
_FP8 = ("fp8_e4m3", "fp8_e5m2", "fp8")


def _cache(model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    low, high = (figure_or(workload, end, "page_size") for end in (_LEAST, _MOST))
    store = Store(
        token=lambda cache: _token(cache, workload),
        latent=lambda cache: _latent(cache, workload),
        index=_index,
        state=lambda cache: _state(cache, model, workload),
        cross=lambda cache: at_least(
            encoder_positions(cache, case, _width(workload)), "sglang", tell("an encoder cache")
        ),
    )
    parts = paged(model, workload, case, Axis("page", low, high, _PAGE), store, _WINDOW)
    return items(case, parts, _LEFT_OUT)


def _token(cache: AttentionCache, workload: Workload) -> Node:
    width = _width(workload)
    if cache.key_dim is cache.value_dim:
        return 2 * cache.kv_heads * cache.key_dim * width
    return cache.kv_heads * (cache.key_dim + cache.value_dim) * width


def _latent(cache: LatentCache, workload: Workload) -> Node:
    told = said(workload, "kv_cache_dtype") or cache_format(workload)
    if cache.index_dim is not None and told.startswith("fp8"):
        return _PACKED
    plain = (cache.latent + cache.rope) * _width(workload)
    if cache.index_dim is not None and not told:
        return either(_PACKED, plain, tell("a sparse model's cache is packed over fp8, or not"))
    return plain


def _index(cache: LatentCache) -> Node:
    assert cache.index_dim is not None
    return cache.index_dim * _BYTE + cache.index_dim / _INDEX_BLOCK * _SCALE


def _width(workload: Workload) -> Node:
    """Bytes of a value; FP4 with one 8-bit scale for every 16."""
    told = said(workload, "kv_cache_dtype")
    if told in _FP8:
        return _BYTE
    if told.startswith("fp4") or cache_format(workload) in ("fp4", "nvfp4"):
        return _BYTE / 2 + _BYTE / 16
    if told in _FULL:
        return _named(told)
    return widths(workload, computed_width(workload)).key


def _state(cache: StateCache, model: Model, workload: Workload) -> Node:
    """Convolution in bf16 and states in fp32, unless set or configured; one slot a request or more."""
    convolution = _named(said(workload, "mamba_conv_dtype") or "bfloat16")
    state = _named(
        said(workload, "mamba_ssm_dtype") or config_word(model, "mamba_ssm_dtype") or "float32"
    )
    one = one_state(cache, convolution, state)
    if switch(workload, "disable_radix_cache"):
        return one
    return either(one, one * 5, _SLOTS)


def _named(told: str) -> Node:
    known = told if told in _FULL else "float32"
    return fact(
        "sglang", f"{known}_bytes", _FULL[known], tell("bytes of a {known} value", known=known), "B"
    )


MEMBER = Engine(
    name="sglang",
    title="SGLang",
    source="sglang/srt/mem_cache/memory_pool.py",
    names=("sglang",),
    covered="0.5.23; the encoder caches of encoder-decoder models are not covered",
    settings=(
        "page_size",
        "kv_cache_dtype",
        "mamba_conv_dtype",
        "mamba_ssm_dtype",
        "disable_radix_cache",
    ),
    cache=_cache,
)
