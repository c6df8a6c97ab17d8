"""MiniMax: lightning (linear) attention and full attention in turn, experts in every layer."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of, unread
from fiche.families._rows import Place, fixed, rows
from fiche.families._state import (
    ATTENTION,
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
)
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model
from fiche.kernel.said import tell

_LAYER = """
input_layernorm norm hidden
post_attention_layernorm norm hidden
mlp.gate router experts hidden
mlp.experts.gate_up_proj =expert experts 2*ffn hidden
mlp.experts.down_proj =expert experts hidden ffn
"""

_LIGHTNING = """
norm norm query
qkv_proj linear 3*query hidden
out_proj linear hidden query
output_gate linear query hidden
slope_rate =buffer heads 1 1
{query,key}_decay =buffer heads block 1
diagonal_decay =buffer 1 heads block block
"""


def _place(config: Config) -> Place:
    dims = attention_dims(config)
    return Place(dims=dims).where(
        ffn=config.number("intermediate_size"),
        experts=config.number("num_local_experts", "num_experts"),
        block=config.number("block_size"),
        channels=fixed(0),
        kernel=fixed(1),
        state_values=dims["heads"] * dims["head"] * dims["head"],
    )


@needing("minimax", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    depth = config.whole("num_hidden_layers") or 0
    kinds = kinds_of(config, "layer_types")
    if kinds is None:
        kinds = ["linear_attention" if i % 2 else "full_attention" for i in range(depth)]
    if len(kinds) != depth or strange(kinds, ("full_attention", "linear_attention")):
        return unread(
            config,
            MEMBER.name,
            tell("give layer_types: linear_attention or full_attention for each layer"),
        )
    place = _place(config)
    attend = chosen(place, config, "layer_types", layers_of(kinds, "full_attention"), depth)
    lightning = chosen(place, config, "layer_types", layers_of(kinds, "linear_attention"), depth)
    tied = config.flag("tie_word_embeddings")
    used, ffn = {"experts_used": config.number("num_experts_per_tok")}, place.dims["ffn"]
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(EMBEDDING, place.at("model.")),
            *rows(_LAYER, chosen(place, config, "num_hidden_layers", range(depth), depth)),
            *rows(ATTENTION, attend.at("self_attn.")),
            *rows(_LIGHTNING, lightning.at("self_attn.")),
            *rows("model.norm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(attention_cache(attend), state_cache(lightning, "linear")),
        blocks=trained(
            attention_block(attend, ffn, **used), state_block(lightning, "linear", ffn, **used)
        ),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="minimax",
    title="MiniMax-Text-01",
    source="transformers 5.24 models/minimax",
    model_types=("minimax",),
    build=_build,
)
