"""What transformers makes of a cache for the length of one layer, beside what it keeps (B6).

A DynamicCache grows by concatenation: the old and the new tensors of one layer stand together, keys first and
values after them in a step that decodes, both in a prefill. MLA layers
that cache the compressed vector expand it for every head of one layer (from 5.15 on; DeepSeek-V3 at 8192
tokens: 640 MiB of keys and values, 896 MiB with the projection that the values are a view of). A
quantised cache brings a whole layer back, and joins it with its residual. estimators.md 2.3, transformers;
`cache_utils.py` and `modeling_deepseek_v3.py` of 5.24.0. Other engines reserve their caches and grow none.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.estimators._reading import qualified
from fiche.estimators.engines._parts import expanded_bytes, token_bytes
from fiche.estimators.engines._placed import on_device
from fiche.estimators.engines._tokens import sequences, tokens_kept
from fiche.estimators.engines._transformers import (
    LATENT,
    LATENT_INDEXED,
    VERSIONS,
    cache_widths,
    implementation,
    kept_tokens,
    latent_token_bytes,
    runs,
)
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, ceil, either, larger
from fiche.kernel.model import AttentionCache, Cache, LatentCache, Model
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_LABEL = tell("a layer's cache while it grows, expands or is brought back")

_ONE_SIDE = tell("a step joins a layer's keys, then its values; a prefill holds both a second time")


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    model = workload.model
    assert model is not None
    layers = [node for cache in model.caches for node in _one_layer(cache, model, workload, case)]
    if not layers:
        return ()
    most = layers[0]
    for layer in layers[1:]:
        most = larger(most, layer)
    return (ceil(most).named(qualified(case, "cache_transients"), _LABEL),)


def _one_layer(cache: Cache, model: Model, workload: Workload, case: Case | None) -> Iterator[Node]:
    tokens, held = tokens_kept(case, workload), sequences(case)
    width = cache_widths(workload)
    match cache:
        case AttentionCache() if implementation(workload) != "static" or cache.reach != "full":
            kept = kept_tokens(cache, model, workload, tokens)
            yield _joined(on_device(cache, workload), workload) * kept * held
        case LatentCache():
            both = latent_token_bytes(cache, workload, width)
            yield either(_larger_side(cache, workload), both, _ONE_SIDE) * tokens * held
            yield _expanded(cache, workload) * tokens * held


def _joined(cache: AttentionCache, workload: Workload) -> Node:
    """Bytes of one token of one layer that stand a second time; a quantised layer is brought back as well."""
    width = cache_widths(workload)
    whole = token_bytes(cache, width)
    if implementation(workload) == "quantized":
        return 2 * whole
    sides = (cache.key_dim * width.key, cache.value_dim * width.value)
    return either(cache.kv_heads * larger(*sides), whole, _ONE_SIDE)


def _larger_side(cache: LatentCache, workload: Workload) -> Node:
    """Bytes of one token of the larger of the two tensors that an MLA layer caches."""
    width = cache_widths(workload)
    first = LATENT if cache.index_dim is None else LATENT_INDEXED
    return VERSIONS.since(
        workload,
        first,
        cache.heads * larger(cache.key_dim, cache.value_dim) * width.key,
        larger(cache.latent, cache.rope) * width.key,
        tell("transformers before {first} cached the keys and values of every head", first=first),
    )


def _expanded(cache: LatentCache, workload: Workload) -> Node:
    """Bytes of one token of one layer's expansion; none where every head is cached as it is."""
    width = cache_widths(workload)
    both = expanded_bytes(cache, width)
    beside = both + cache.heads * (larger(cache.key_dim, cache.rope) - cache.rope) * width.key
    because = tell("values are a view of the projection, which holds the keys' first part as well")
    first = LATENT if cache.index_dim is None else LATENT_INDEXED
    return VERSIONS.since(
        workload,
        first,
        0 * both,
        either(both, beside, because),
        tell("transformers before {first} cached every head, and expanded nothing", first=first),
    )


MEMBER = Estimator(
    name="cache_transients",
    title="Copies of a layer's cache",
    source="estimators.md 2.3; cache_utils.py of transformers 5.24.0",
    per_case=True,
    resident=False,
    applies=runs,
    estimate=_estimate,
    phases=("prefill", "decode", "cold_forward", "warm_forward"),
    spread="own",
)
