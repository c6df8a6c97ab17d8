"""LFM3: short convolutions with attention at some layers, within a window or over all tokens, gated by head."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of, unread
from fiche.families._rows import Place, fixed, rows
from fiche.families._state import (
    EMBEDDING,
    attention_block,
    attention_cache,
    attention_dims,
    chosen,
    kept,
    kinds_of,
    layers_of,
    state_block,
    state_cache,
    strange,
    trained,
    words_of,
)
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_LAYER = """
operator_norm norm hidden
ffn_norm norm hidden
?sandwich post_{operator,ffn}_norm norm hidden
feed_forward.w{1,3} linear ffn hidden
feed_forward.w2 linear hidden ffn
"""

_CONVOLUTION = """
conv.conv convolution+conv_bias hidden 1 kernel
conv.in_proj linear+conv_bias 3*hidden hidden
conv.out_proj linear+conv_bias hidden hidden
"""

_ATTENTION = """
self_attn.q_proj linear+attention_bias query hidden
self_attn.{k,v}_proj linear+attention_bias kv hidden
self_attn.o_proj linear+attention_bias hidden query
self_attn.{q,k}_norm norm head
?gate self_attn.g_proj linear heads hidden
"""

_FULL, _SLIDING, _CONV = "full_attention", "sliding_attention", "conv"


def _kinds(config: Config, depth: int) -> list[str]:
    """As listed, else two convolutions, a layer that sees all, one convolution, a window, in turn."""
    listed = kinds_of(config, "layer_types")
    if listed is not None:
        return listed
    return [
        _FULL if index % 4 == 2 else _SLIDING if index % 4 == 0 and index else _CONV
        for index in range(depth)
    ]


def _place(config: Config) -> Place:
    words = words_of(
        config,
        conv_bias="conv_bias",
        attention_bias="attention_bias",
        sandwich="use_sandwich_norm",
        gate="use_attention_gate",
    )
    return Place(dims=attention_dims(config)).where(
        *words,
        ffn=config.number("intermediate_size"),
        channels=config.number("hidden_size"),
        kernel=config.number("conv_L_cache"),
        state_values=fixed(0),
    )


@needing("lfm3", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    depth = config.whole("num_hidden_layers") or 0
    kinds = _kinds(config, depth)
    if len(kinds) != depth or strange(kinds, (_FULL, _SLIDING, _CONV)):
        text = tell(
            "give layer_types: {conv}, {sliding} or {full} for each layer",
            conv=_CONV,
            sliding=_SLIDING,
            full=_FULL,
        )
        return unread(config, MEMBER.name, text)
    place = _place(config)
    full, sliding, convolved = (
        chosen(place, config, "layer_types", layers_of(kinds, kind), depth)
        for kind in (_FULL, _SLIDING, _CONV)
    )
    everywhere = chosen(place, config, "num_hidden_layers", range(depth), depth)
    windowed = replace(
        attention_cache(sliding), reach="sliding", window=config.number("sliding_window")
    )
    tied, ffn = config.flag("tie_word_embeddings"), place.dims["ffn"]
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(EMBEDDING, place.at("model.")),
            *rows(_LAYER, everywhere),
            *rows(_CONVOLUTION, convolved),
            *rows(_ATTENTION, full),
            *rows(_ATTENTION, sliding),
            *rows("model.embedding_norm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(attention_cache(full), windowed, state_cache(convolved, "short_convolution")),
        blocks=trained(
            attention_block(full, ffn),
            attention_block(sliding, ffn),
            state_block(convolved, "short_convolution", ffn),
        ),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="lfm3",
    title="LFM3",
    source="transformers 5.24 models/lfm3",
    model_types=("lfm3",),
    build=_build,
)
