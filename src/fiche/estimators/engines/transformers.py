"""Hugging Face transformers: caches of layers, by version and `cache_implementation`.

DynamicCache grows with the tokens. From 4.56 on it reads the configuration, and sliding layers keep their
window while they decode (after a prefill they hold the whole prompt until the next step: see
`cache_transients`); before, every layer kept every token. MLA layers cache the compressed vector from
5.15 on (5.18 with a sparse indexer), all heads before. Recurrent states are fp32 and convolutions keep
all K columns. `static` holds the same tokens, allocated at once; `offloaded` keeps the current and the
prefetched layer on the device; `quantized` stores full-attention layers in `nbits` with a scale and a
shift for every group, beside a residual in full precision. Cross-attention keeps every encoder position
(Whisper: 1500 for any audio). estimators.md 2.2 and 2.3; peers_run.md section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fiche.estimators._reading import missing, qualified
from fiche.estimators.engines._parts import (
    CROSS_ATTENTION_CACHE,
    KV_CACHE,
    RECURRENT_STATE,
    Part,
    convolution_bytes,
    items,
    layers_said,
    state_bytes,
    token_bytes,
)
from fiche.estimators.engines._placed import dealt, on_device
from fiche.estimators.engines._tokens import as_tokens, encoder_tokens, sequences, tokens_kept
from fiche.estimators.engines._transformers import (
    FP32,
    FP32_STATES,
    NAMES,
    VERSIONS,
    cache_widths,
    implementation,
    kept_tokens,
    latent_token_bytes,
    offloads,
    quantised_widths,
    residual_length,
    setting,
)
from fiche.estimators.engines._widths import computed_width
from fiche.kernel.doors import Engine
from fiche.kernel.figure import Node, either, larger, smaller
from fiche.kernel.model import AttentionCache, Cache, CrossCache, LatentCache, Model, StateCache
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

_LEFT_OUT = (tell("copies while a layer's cache grows (cache_transients)"),)
_KEPT: dict[str, Callable[[str], str]] = {
    "full": lambda layers: tell("{layers} that keep every token", layers=layers),
    "sliding": lambda layers: tell("{layers} that keep the last window of tokens", layers=layers),
    "chunked": lambda layers: tell("{layers} that keep the running chunk of tokens", layers=layers),
}
_SETTINGS = (
    "cache_implementation",
    "cache_without_config",
    "max_cache_len",
    "prefill_chunk_size",
    "nbits",
    "q_group_size",
    "residual_length",
    "backend",
)


@record(eq=False, kw_only=False)
class _Layer:
    """One of alike layers: what it holds, in words and bytes."""

    cache: Cache
    item: str
    step: str
    label: str
    held: Node


def _cache(model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    kind = implementation(workload)
    if kind not in ("dynamic", "static", "quantized"):
        return (
            _unread(
                case, tell("cache_implementation '{kind}' is not known here: measure it", kind=kind)
            ),
        )
    if kind == "quantized" and not _all_full(model):
        return (_unread(case, tell("transformers quantises caches of full-attention layers only")),)
    layers = [each for cache in model.caches for each in _layers(cache, model, workload, case)]
    moved = [each for each in layers if _moves(each, workload)]
    stays = [each for each in layers if each not in moved]
    parts = [Part(each.item, each.step, each.label, each.cache.count * each.held) for each in stays]
    return items(case, _dealt([*parts, *_at_work(moved)], workload), _LEFT_OUT)


def _unread(case: Case | None, text: str) -> Node:
    return missing(qualified(case, KV_CACHE), BYTE, "engine", text)


def _all_full(model: Model) -> bool:
    return all(isinstance(c, AttentionCache) and c.reach == "full" for c in model.caches)


def _layers(cache: Cache, model: Model, workload: Workload, case: Case | None) -> Iterator[_Layer]:
    width, held = cache_widths(workload), sequences(case)
    said = layers_said(cache)
    match cache:
        case AttentionCache():
            tokens = kept_tokens(cache, model, workload, _length(workload, case))
            yield _attention(cache, workload, tokens, held)
        case LatentCache():
            node = latent_token_bytes(cache, workload, width) * _length(workload, case) * held
            yield _Layer(
                cache, KV_CACHE, "latent", tell("{layers} of latent attention", layers=said), node
            )
            if cache.index_dim is not None:
                node = cache.index_dim * width.key * _length(workload, case) * held
                yield _Layer(
                    cache,
                    KV_CACHE,
                    "indexer",
                    tell("{layers} with indexer keys", layers=said),
                    node,
                )
        case CrossCache():
            positions = encoder_tokens(case) if cache.tokens is None else cache.tokens
            node = token_bytes(on_device(cache, workload), width) * positions * held
            label = tell("{layers} that keep the encoder's positions", layers=said)
            yield _Layer(cache, CROSS_ATTENTION_CACHE, "encoder", label, node)
        case StateCache():
            yield from _states(cache, workload, held)


def _length(workload: Workload, case: Case | None) -> Node:
    """Tokens of a sequence; a static cache may be made longer than this case asks."""
    tokens = tokens_kept(case, workload)
    longest = workload.figures.get("engine.settings.max_cache_len")
    if longest is None or implementation(workload) != "static":
        return tokens
    return larger(tokens, as_tokens(longest))


def _attention(cache: AttentionCache, workload: Workload, tokens: Node, held: Node) -> _Layer:
    mine = on_device(cache, workload)
    label = _KEPT[cache.reach](layers_said(cache))
    if implementation(workload) != "quantized":
        node = token_bytes(mine, cache_widths(workload)) * tokens * held
        return _Layer(cache, KV_CACHE, cache.reach, label, node)
    stored = token_bytes(mine, quantised_widths(workload)) * tokens
    residual = token_bytes(mine, cache_widths(workload)) * smaller(
        tokens, residual_length(workload)
    )
    node = (stored + residual) * held
    if setting(workload, "backend") == "fp8":
        node = node + 2 * FP32  # one scale for the keys of a layer, one for its values
    return _Layer(
        cache, KV_CACHE, "quantised", tell("{label}, quantised, with a residual", label=label), node
    )


def _states(cache: StateCache, workload: Workload, held: Node) -> Iterator[_Layer]:
    """K columns of a convolution in the model's format, and the state that the kernel returns."""
    width, label = (
        computed_width(workload),
        tell("{layers} of {kind}", layers=layers_said(cache), kind=cache.kind),
    )
    kept = convolution_bytes(cache, width, cache.kernel) * held
    yield _Layer(
        cache,
        RECURRENT_STATE,
        f"{cache.kind}_convolution",
        tell("{label}, columns", label=label),
        kept,
    )
    because = tell(
        "transformers before {fp32_states}: the state in fp32, or in the model's format",
        fp32_states=FP32_STATES,
    )
    width = VERSIONS.since(workload, FP32_STATES, either(width, FP32, because), FP32, because)
    state = state_bytes(cache, width) * held
    yield _Layer(cache, RECURRENT_STATE, cache.kind, tell("{label}, states", label=label), state)


def _moves(layer: _Layer, workload: Workload) -> bool:
    """True for what an offloaded cache keeps in host memory; a static one leaves sliding layers be."""
    if not offloads(workload) or layer.item == RECURRENT_STATE:
        return False
    return not (implementation(workload) == "static" and layer.step in ("sliding", "chunked"))


def _at_work(moved: list[_Layer]) -> Iterator[Part]:
    """The layer at work and the one fetched ahead of it, of each cache."""
    for item in dict.fromkeys(layer.item for layer in moved):
        mine = [layer for layer in moved if layer.item == item]
        most = mine[0].held
        for layer in mine[1:]:
            most = most + layer.held if layer.step == "indexer" else larger(most, layer.held)
        yield Part(item, "at_work", tell("the layer at work and the next one"), 2 * most)


def _dealt(parts: list[Part], workload: Workload) -> Iterator[Part]:
    """Layers and sequences over devices: which lie where is up to the device map."""
    for part in parts:
        node = dealt(part.node, workload, "pipeline", "context", "data")
        yield Part(part.item, part.step, part.label, node)


MEMBER = Engine(
    name="transformers",
    title="Hugging Face transformers",
    source="cache_utils.py and generation/utils.py, 4.48 to 5.24 (estimators.md 2.3)",
    names=NAMES,
    covered="4.48 to 5.24",
    settings=_SETTINGS,
    cache=_cache,
)
