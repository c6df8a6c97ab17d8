"""The least that any program can keep: what attention still reaches, and the states, nothing padded.

estimators.md 2.2. Full layers keep every token, sliding and chunked ones the last window, MLA the
compressed vector, recurrent layers one state a sequence whatever the context, cross-attention the
encoder's positions. Llama-3.1-8B: 131 072 bytes a token; Gemma3-27B: 1.031 GiB at 8192 tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fiche.estimators.engines._parts import (
    CROSS_ATTENTION_CACHE,
    KV_CACHE,
    RECURRENT_STATE,
    Part,
    convolution_bytes,
    latent_bytes,
    layers_said,
    older_columns,
    reached,
    state_bytes,
    token_bytes,
)
from fiche.estimators.engines._parts import items as named_items
from fiche.estimators.engines._placed import least_held
from fiche.estimators.engines._tokens import encoder_tokens, sequences, tokens_kept
from fiche.estimators.engines._widths import Widths, computed_width, fixed, widths
from fiche.kernel.doors import Engine
from fiche.kernel.figure import Node
from fiche.kernel.model import AttentionCache, Cache, CrossCache, LatentCache, Model, StateCache
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

# A sparse indexer compares its keys in 8 bits, so no more than that must be kept of one.
_INDEX_WIDTH = fixed(
    "indexer.key_value_bytes",
    tell("bytes of an indexer's value"),
    1,
    tell("an indexer compares fp8 values"),
    BYTE,
)
_REACH: dict[str, Callable[[str], str]] = {
    "full": lambda layers: tell("{layers} that keep every token", layers=layers),
    "sliding": lambda layers: tell("{layers} that keep the last window of tokens", layers=layers),
    "chunked": lambda layers: tell("{layers} that keep the running chunk of tokens", layers=layers),
}


def _cache(model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    width = widths(workload)
    parts = [
        Part(part.item, part.step, part.label, least_held(part.node, workload))
        for cache in model.caches
        for part in _parts(cache, width, workload, case)
    ]
    left_out = (tell("blocks or slots that an engine reserves beyond these tokens"),)
    return named_items(case, parts, left_out)


def _parts(cache: Cache, width: Widths, workload: Workload, case: Case | None) -> Iterator[Part]:
    tokens, held = tokens_kept(case, workload), sequences(case)
    match cache:
        case AttentionCache():
            node = cache.count * token_bytes(cache, width) * reached(cache, tokens) * held
            yield Part(KV_CACHE, cache.reach, _REACH[cache.reach](layers_said(cache)), node)
        case LatentCache():
            node = cache.count * latent_bytes(cache, width.key) * tokens * held
            yield Part(
                KV_CACHE,
                "latent",
                tell("{layers} with one latent vector", layers=layers_said(cache)),
                node,
            )
            if cache.index_dim is not None:
                node = cache.count * cache.index_dim * _INDEX_WIDTH * tokens * held
                yield Part(
                    KV_CACHE,
                    "indexer",
                    tell("{layers} with indexer keys", layers=layers_said(cache)),
                    node,
                )
        case CrossCache():
            positions = encoder_tokens(case) if cache.tokens is None else cache.tokens
            node = cache.count * token_bytes(cache, width) * positions * held
            label = tell("{layers} that keep the encoder's positions", layers=layers_said(cache))
            yield Part(CROSS_ATTENTION_CACHE, "encoder", label, node)
        case StateCache():
            yield from _states(cache, computed_width(workload), held)


def _states(cache: StateCache, width: Node, held: Node) -> Iterator[Part]:
    kept = convolution_bytes(cache, width, older_columns(cache))
    label = tell("{layers} of {kind}", layers=layers_said(cache), kind=cache.kind)
    yield Part(
        RECURRENT_STATE,
        f"{cache.kind}_convolution",
        tell("{label}, columns", label=label),
        cache.count * kept * held,
    )
    state = cache.count * state_bytes(cache, width) * held
    yield Part(RECURRENT_STATE, cache.kind, tell("{label}, states", label=label), state)


MEMBER = Engine(
    name="ideal",
    title="no engine: the least that can be kept",
    source="estimators.md 2.2",
    names=("ideal",),
    covered="a formula, no program",
    settings=(),
    cache=_cache,
)
