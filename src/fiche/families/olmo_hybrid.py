"""OLMo Hybrid: gated delta networks with full attention every fourth layer, normed at different places."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.families._state import (
    ATTENTION,
    EMBEDDING,
    GATED,
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
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import Model
from fiche.kernel.said import tell

_DELTA = """
input_layernorm norm hidden
linear_attn.A_log =recurrent value_heads
linear_attn.dt_bias =recurrent value_heads
linear_attn.{q,k}_proj linear key_width hidden
linear_attn.{v,g}_proj linear value_width hidden
linear_attn.{a,b}_proj linear value_heads hidden
linear_attn.o_proj linear hidden value_width
linear_attn.conv1d convolution channels 1 kernel
linear_attn.o_norm norm value_head
"""

_NORMS = """
q_norm norm query
k_norm norm kv
"""


def _or(config: Config, name: str, otherwise: Node) -> Node:
    return otherwise if config.value(name) is None else config.number(name)


def _place(config: Config) -> Place:
    dims = attention_dims(config)
    key_heads = _or(config, "linear_num_key_heads", dims["heads"])
    value_heads = _or(config, "linear_num_value_heads", dims["heads"])
    key_head = _or(config, "linear_key_head_dim", floor(3 * dims["hidden"] / 4 / key_heads))
    value_head = _or(config, "linear_value_head_dim", 2 * key_head)
    key_width, value_width = key_heads * key_head, value_heads * value_head
    return Place(dims=dims).where(
        *words_of(config, attention_bias="attention_bias"),
        ffn=config.number("intermediate_size"),
        value_heads=value_heads,
        value_head=value_head,
        key_width=key_width,
        value_width=value_width,
        channels=2 * key_width + value_width,
        kernel=config.number("linear_conv_kernel_dim"),
        state_values=value_heads * key_head * value_head,
    )


def _kinds(config: Config, depth: int) -> list[str]:
    kinds = kinds_of(config, "layer_types")
    if kinds is None:
        kinds = ["full_attention" if i % 4 == 3 else "linear_attention" for i in range(depth)]
        kinds = kinds if "full_attention" in kinds else [*kinds[:-1], "full_attention"]
    return kinds


@needing("olmo_hybrid", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    depth = config.whole("num_hidden_layers") or 0
    kinds = _kinds(config, depth)
    if len(kinds) != depth or strange(kinds, ("full_attention", "linear_attention")):
        return unread(
            config,
            MEMBER.name,
            tell("give layer_types: linear_attention or full_attention for each layer"),
        )
    place = _place(config)
    everywhere = chosen(place, config, "num_hidden_layers", range(depth), depth)
    attend = chosen(place, config, "layer_types", layers_of(kinds, "full_attention"), depth)
    delta = chosen(place, config, "layer_types", layers_of(kinds, "linear_attention"), depth)
    tied = config.flag("tie_word_embeddings")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(EMBEDDING, place.at("model.")),
            *rows("post_attention_layernorm norm hidden", everywhere),
            *rows(GATED, everywhere.at("mlp.")),
            *rows(_DELTA, delta),
            *rows(ATTENTION + _NORMS, attend.at("self_attn.")),
            *rows("post_feedforward_layernorm norm hidden", attend),
            *rows("model.norm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(attention_cache(attend), state_cache(delta, "gated_delta")),
        blocks=trained(
            attention_block(attend, place.dims["ffn"]),
            state_block(delta, "gated_delta", place.dims["ffn"]),
        ),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="olmo_hybrid",
    title="OLMo Hybrid",
    source="transformers 5.24 models/olmo_hybrid",
    model_types=("olmo_hybrid",),
    build=_build,
)
