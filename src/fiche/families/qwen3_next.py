"""Qwen3-Next and the language part of Qwen3.5: gated delta networks, full attention once an interval.

The recurrent state of a layer is value heads x key width x value width; its convolution runs over queries, keys
and values together.
"""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.families._state import (
    EMBEDDING,
    GATED,
    attention_block,
    attention_cache,
    attention_dims,
    chosen,
    crossings,
    kept,
    kinds_of,
    layers_of,
    state_block,
    state_cache,
    strange,
    words_of,
)
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Block, Model
from fiche.kernel.said import tell

_LAYER = """
input_layernorm norm hidden
post_attention_layernorm norm hidden
"""

_DELTA = """
dt_bias =recurrent value_heads
A_log =recurrent value_heads
conv1d convolution channels 1 kernel
?fused in_proj_qkvz linear 2*key_width+2*value_width hidden
?fused in_proj_ba linear 2*value_heads hidden
!fused in_proj_qkv linear channels hidden
!fused in_proj_z linear value_width hidden
!fused in_proj_{a,b} linear value_heads hidden
norm norm value_head
out_proj linear hidden value_width
"""

# The queries come with a gate of the same width.
_ATTENTION = """
q_proj linear+attention_bias 2*query hidden
{k,v}_proj linear+attention_bias kv hidden
o_proj linear+attention_bias hidden query
{q,k}_norm norm head
"""

_EXPERTS = """
gate router experts hidden
experts.gate_up_proj =expert experts 2*expert_ffn hidden
experts.down_proj =expert experts hidden expert_ffn
shared_expert.{gate,up}_proj linear shared_ffn hidden
shared_expert.down_proj linear hidden shared_ffn
shared_expert_gate linear 1 hidden
"""


def _place(config: Config) -> Place:
    key_heads, value_heads = (
        config.number("linear_num_key_heads"),
        config.number("linear_num_value_heads"),
    )
    key_head, value_head = (
        config.number("linear_key_head_dim"),
        config.number("linear_value_head_dim"),
    )
    key_width, value_width = key_heads * key_head, value_heads * value_head
    place = Place(dims=attention_dims(config)).where(
        *words_of(config, attention_bias="attention_bias"),
        *(["fused"] if config.model_type == "qwen3_next" else []),
        value_heads=value_heads,
        value_head=value_head,
        key_width=key_width,
        value_width=value_width,
        channels=2 * key_width + value_width,
        kernel=config.number("linear_conv_kernel_dim"),
        state_values=value_heads * key_head * value_head,
    )
    if config.model_type != "qwen3_5_moe_text":
        place = place.where(ffn=config.number("intermediate_size"))
    if config.model_type != "qwen3_5_text":
        place = place.where(
            experts=config.number("num_experts", "num_local_experts"),
            expert_ffn=config.number("moe_intermediate_size"),
            shared_ffn=config.number("shared_expert_intermediate_size"),
        )
    return place


def _kinds(config: Config, depth: int) -> list[str]:
    listed = kinds_of(config, "layer_types")
    if listed is not None:
        return listed
    # The class's own default is 4, and no key of it: a file that says otherwise says so.
    interval = config.whole("full_attention_interval") or 4
    return ["linear_attention" if (i + 1) % interval else "full_attention" for i in range(depth)]


def _sparse(config: Config, depth: int) -> list[int]:
    """The layers with experts."""
    if config.model_type == "qwen3_5_moe_text":
        return list(range(depth))
    if config.model_type == "qwen3_5_text" or config.whole("num_experts") == 0:
        return []
    dense, step = config.listed("mlp_only_layers") or [], config.whole("decoder_sparse_step") or 1
    return [i for i in range(depth) if i not in dense and (i + 1) % step == 0]


def _blocks(
    config: Config, place: Place, attend: tuple[int, ...], sparse: list[int], depth: int
) -> list[Block]:
    found = []
    for attends, with_experts, layers in crossings(attend, sparse, depth):
        here = chosen(place, config, "layer_types", layers, depth)
        inner = place.dims["expert_ffn" if with_experts else "ffn"]
        used = {}
        if with_experts:
            used = {
                "experts_used": config.number("num_experts_per_tok"),
                "shared_inner": place.dims["shared_ffn"],
            }
        found.append(
            attention_block(here, inner, **used)
            if attends
            else state_block(here, "gated_delta", inner, **used)
        )
    return found


@needing("qwen3_next", "num_hidden_layers")
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
    sparse = _sparse(config, depth)
    dense = [i for i in range(depth) if i not in sparse]
    attend = chosen(place, config, "layer_types", layers_of(kinds, "full_attention"), depth)
    delta = chosen(place, config, "layer_types", layers_of(kinds, "linear_attention"), depth)
    tied = config.flag("tie_word_embeddings")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(EMBEDDING, place.at("model.")),
            *rows(_LAYER, chosen(place, config, "num_hidden_layers", range(depth), depth)),
            *rows(_DELTA, delta.at("linear_attn.")),
            *rows(_ATTENTION, attend.at("self_attn.")),
            *rows(GATED, chosen(place, config, "mlp_only_layers", dense, depth).at("mlp.")),
            *rows(_EXPERTS, chosen(place, config, "num_hidden_layers", sparse, depth).at("mlp.")),
            *rows("model.norm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(attention_cache(attend), state_cache(delta, "gated_delta")),
        blocks=tuple(_blocks(config, place, layers_of(kinds, "full_attention"), sparse, depth)),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
        notes=("checkpoints may hold a further block of prediction (mtp.*) that no key tells",),
    )


MEMBER = Family(
    name="qwen3_next",
    title="Qwen3-Next and Qwen3.5 (language part)",
    source="transformers 5.24 models/qwen3_next, qwen3_5, qwen3_5_moe; estimators.md 2.2",
    model_types=("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"),
    build=_build,
)
