"""RecurrentGemma: gated linear recurrences, and local attention in every third layer."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.families._state import (
    EMBEDDING,
    attention_block,
    attention_cache,
    attention_dims,
    chosen,
    kept,
    layers_of,
    state_block,
    state_cache,
    trained,
    words_of,
)
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import floor
from fiche.kernel.model import Model
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_LAYER = """
temporal_pre_norm norm hidden
channel_pre_norm norm hidden
mlp_block.{gate,up}_proj linear+ ffn hidden
mlp_block.down_proj linear+ hidden ffn
"""

_RECURRENT = """
linear_y linear+ width hidden
linear_x linear+ width hidden
linear_out linear+ hidden width
conv_1d convolution+ width 1 kernel
rg_lru.recurrent_param =recurrent width
rg_lru.{input,recurrent}_gate_weight =recurrent heads block block
rg_lru.{input,recurrent}_gate_bias =bias heads block
"""

_ATTENTION = """
q_proj linear+attention_bias query hidden
{k,v}_proj linear+attention_bias kv hidden
o_proj linear+ hidden query
"""


def _place(config: Config) -> Place:
    dims = attention_dims(config)
    width = config.number("hidden_size" if config.value("lru_width") is None else "lru_width")
    return Place(dims=dims).where(
        *words_of(config, attention_bias="attention_bias"),
        ffn=floor(config.number("intermediate_size") / 2),
        width=width,
        block=floor(width / dims["heads"]),
        channels=width,
        kernel=config.number("conv1d_width"),
        state_values=width,
    )


@needing("recurrent_gemma", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    depth = config.whole("num_hidden_layers") or 0
    pattern = config.listed("block_types") or []
    if not pattern or any(kind not in ("recurrent", "attention") for kind in pattern):
        return unread(
            config, MEMBER.name, tell("give block_types: recurrent or attention, in turn")
        )
    kinds = [str(pattern[i % len(pattern)]) for i in range(depth)]
    place = _place(config)
    attend = chosen(place, config, "block_types", layers_of(kinds, "attention"), depth)
    recur = chosen(place, config, "block_types", layers_of(kinds, "recurrent"), depth)
    local = replace(
        attention_cache(attend), reach="sliding", window=config.number("attention_window_size")
    )
    tied = config.flag("tie_word_embeddings")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(EMBEDDING, place.at("model.")),
            *rows(_LAYER, chosen(place, config, "num_hidden_layers", range(depth), depth)),
            *rows(_RECURRENT, recur.at("temporal_block.")),
            *rows(_ATTENTION, attend.at("temporal_block.")),
            *rows("model.final_norm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(local, state_cache(recur, "linear")),
        blocks=trained(
            attention_block(attend, place.dims["ffn"]),
            state_block(recur, "linear", place.dims["ffn"]),
        ),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="recurrent_gemma",
    title="RecurrentGemma",
    source="transformers 5.24 models/recurrent_gemma",
    model_types=("recurrent_gemma",),
    build=_build,
)
