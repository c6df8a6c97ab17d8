"""whisper.cpp: positions of the decoder and of the encoder, padded to 256, for each state.

From 1.6.0 on (flash attention, pull request 2152) the caches of `whisper_init_state` have
`GGML_PAD(n_text_ctx, 256)` and `GGML_PAD(n_audio_ctx, 256)` positions in 16 bits: 448 become 512, 1500
become 1536; one more layer of the encoder's width is kept beside them (`kv pad`). With more than one
decoder (beams, or a fallback to a higher temperature) the self cache is made again, decoders + 2 times as
large, and never shrinks. Before 1.6.0 nothing was padded, and some builds kept 3 x 448 positions.
truth.md 17; base: cross 18.87 MB; medium: self 50.33 MB, cross 150.99 MB.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.estimators._reading import missing, word
from fiche.estimators.engines._parts import (
    CROSS_ATTENTION_CACHE,
    KV_CACHE,
    Part,
    items,
    layers_said,
    token_bytes,
)
from fiche.estimators.engines._tokens import sequences
from fiche.estimators.engines._versions import Covered
from fiche.estimators.engines._widths import Widths, block_width, fixed, widths
from fiche.kernel.doors import Engine
from fiche.kernel.figure import Node, ceil, either
from fiche.kernel.model import AttentionCache, CrossCache, Model
from fiche.kernel.said import tell
from fiche.kernel.unit import count_of
from fiche.kernel.workload import Case, Workload

_VERSIONS = Covered("1.5", "1.9")
_PADDED_SINCE = "1.6"
_PAD = 256


def _cache(model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    """Nothing for a model that is no Whisper: this program runs no other."""
    crosses = [c for c in model.caches if isinstance(c, CrossCache) and c.tokens is not None]
    if not crosses:
        return ()
    width = widths(workload, block_width("f16"))
    parts = [*_self(model, workload, width), *_encoder(crosses, workload, width)]
    held = [Part(p.item, p.step, p.label, p.node * sequences(case)) for p in parts]
    return items(case, held, (tell("compute buffers"),))


def _self(model: Model, workload: Workload, width: Widths) -> Iterator[Part]:
    positions = model.positions
    if positions is None:
        text = tell("give the decoder's positions (max_target_positions of the configuration)")
        positions = missing("model.positions", count_of("tokens"), "architecture", text)
    kept = _since(
        workload,
        either(positions, 3 * positions, tell("builds before 1.6 kept 1 or 3 times the positions")),
        _padded(positions) * _copies(workload),
    )
    for cache in model.caches:
        if isinstance(cache, AttentionCache):
            node = cache.count * token_bytes(cache, width) * kept
            yield Part(
                KV_CACHE,
                "decoder",
                tell("{layers} with every position", layers=layers_said(cache)),
                node,
            )


def _encoder(crosses: list[CrossCache], workload: Workload, width: Widths) -> Iterator[Part]:
    for cache in crosses:
        assert cache.tokens is not None
        kept = _since(workload, cache.tokens, _padded(cache.tokens))
        layer = token_bytes(cache, width) * kept
        label = tell("{layers} that keep the encoder's positions", layers=layers_said(cache))
        yield Part(CROSS_ATTENTION_CACHE, "encoder", label, cache.count * layer)
        beside = _since(workload, 0 * layer, layer)
        yield Part(CROSS_ATTENTION_CACHE, "pad", tell("a padded layer of the encoder"), beside)


def _copies(workload: Workload) -> Node:
    """How many times the positions are kept: once for one decoder, else decoders + 2 times."""
    one = fixed("one_decoder", tell("one decoder"), 1, tell("the cache that a state starts with"))
    for name in ("beam_size", "best_of"):
        if word(workload, f"engine.settings.{name}") == "1":
            return one
        told = workload.figures.get(f"engine.settings.{name}")
        if told is not None:
            return told + 2
    most = fixed("most_decoders", tell("most decoders"), 8, tell("WHISPER_MAX_DECODERS is 8"))
    return either(
        one, most + 2, tell("beam_size and best_of are not told: one decoder, or up to 8")
    )


def _padded(positions: Node) -> Node:
    return ceil(positions / _PAD) * _PAD


def _since(workload: Workload, before: Node, after: Node) -> Node:
    because = tell(
        "builds before {padded_since} do not pad their positions", padded_since=_PADDED_SINCE
    )
    return _VERSIONS.since(workload, _PADDED_SINCE, before, after, because)


MEMBER = Engine(
    name="whisper.cpp",
    title="whisper.cpp",
    source="src/whisper.cpp, whisper_init_state and whisper_full (truth.md 17)",
    names=("whisper.cpp", "whisper_cpp", "whisper-cpp"),
    covered="1.5 to 1.8",
    settings=("beam_size", "best_of"),
    cache=_cache,
)
