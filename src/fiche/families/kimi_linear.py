"""Kimi Linear: delta attention with a gate by channel, compressed attention (MLA) every fourth layer."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.families._state import (
    EMBEDDING,
    GATED,
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
from fiche.kernel.model import Block, LatentCache, Model
from fiche.kernel.said import tell

_LAYER = """
input_layernorm norm hidden
post_attention_layernorm norm hidden
"""

_DELTA = """
{q,k,v}_proj linear width hidden
conv1d convolution channels 1 kernel
forget_gate.dt_bias =recurrent width
forget_gate.A_log =recurrent 1 1 delta_heads 1
forget_gate.f_a_proj linear delta_head hidden
forget_gate.f_b_proj linear width delta_head
b_proj linear delta_heads hidden
g_a_proj linear delta_head hidden
g_b_proj linear width delta_head
o_norm norm delta_head
o_proj linear hidden width
"""

_LATENT = """
!q_lora q_proj linear heads*key hidden
?q_lora q_a_proj linear+attention_bias q_rank hidden
?q_lora q_a_layernorm norm q_rank
?q_lora q_b_proj linear heads*key q_rank
kv_a_proj_with_mqa linear+attention_bias latent+rope hidden
kv_a_layernorm norm latent
kv_b_proj linear heads*nope+heads*value latent
o_proj linear+attention_bias hidden heads*value
"""

_EXPERTS = """
gate router experts hidden
gate.e_score_correction_bias =buffer experts
experts.gate_up_proj =expert experts 2*expert_ffn hidden
experts.down_proj =expert experts hidden expert_ffn
shared_experts.{gate,up}_proj linear shared_ffn hidden
shared_experts.down_proj linear hidden shared_ffn
"""


def _place(config: Config) -> Place:
    nested = config.part("linear_attn_config")
    head = nested.number("head_dim") if nested else config.number("linear_head_dim")
    heads = nested.number("num_heads") if nested else config.number("linear_num_heads")
    kernel = (
        nested.number("short_conv_kernel_size")
        if nested
        else config.number("linear_conv_kernel_dim")
    )
    rope, nope = config.number("qk_rope_head_dim"), config.number("qk_nope_head_dim")
    place = Place(
        dims={
            "hidden": config.number("hidden_size"),
            "vocabulary": config.number("vocab_size"),
            "ffn": config.number("intermediate_size"),
            "delta_head": head,
            "delta_heads": heads,
            "width": heads * head,
            "channels": 3 * heads * head,
            "kernel": kernel,
            "state_values": heads * head * head,
            "heads": config.number("num_attention_heads"),
            "latent": config.number("kv_lora_rank"),
            "rope": rope,
            "nope": nope,
            "key": nope + rope,
            "value": config.number("v_head_dim"),
            "experts": config.number("num_experts", "num_local_experts"),
            "expert_ffn": config.number("moe_intermediate_size"),
            "shared_ffn": config.number("num_shared_experts", "n_shared_experts")
            * config.number("moe_intermediate_size"),
        }
    ).where(*words_of(config, attention_bias="attention_bias"))
    if config.value("q_lora_rank") is None:
        return place
    return place.where("q_lora", q_rank=config.number("q_lora_rank"))


def _kinds(config: Config, depth: int) -> list[str]:
    """The kind of each layer; checkpoints number them from 1 in a part of their own."""
    listed = kinds_of(config, "layer_types")
    nested = config.part("linear_attn_config")
    if listed is not None:
        return listed
    if nested is None or nested.listed("full_attn_layers") is None:
        return ["full_attention" if i and i % 4 == 0 else "linear_attention" for i in range(depth)]
    full, delta = nested.listed("full_attn_layers") or [], nested.listed("kda_layers") or []
    return [
        "full_attention" if i + 1 in full else "linear_attention" if i + 1 in delta else ""
        for i in range(depth)
    ]


def _dense(config: Config, depth: int) -> list[int]:
    listed = config.listed("mlp_layer_types")
    if listed is not None:
        return [i for i, kind in enumerate(listed) if kind == "dense"]
    first = config.whole("first_k_dense_replace")
    return list(range(min(1 if first is None else first, depth)))


def _blocks(
    config: Config, place: Place, attend: tuple[int, ...], dense: list[int], depth: int
) -> list[Block]:
    found, dims = [], place.dims
    for attends, is_dense, layers in crossings(attend, dense, depth):
        here = chosen(place, config, "layer_types", layers, depth)
        used = {} if is_dense else {
            "experts_used": config.number("num_experts_per_token", "num_experts_per_tok"),
            "shared_inner": dims["shared_ffn"],
        }  # fmt: skip
        inner = dims["ffn" if is_dense else "expert_ffn"]
        if attends:
            key, value = dims["heads"] * dims["key"], dims["heads"] * dims["value"]
            used |= {"heads": dims["heads"], "query": key, "key": key, "value": value}
        found.append(state_block(here, "attention" if attends else "gated_delta", inner, **used))
    return found


def _latent(place: Place) -> LatentCache:
    dims = place.dims
    return LatentCache(
        layers=place.layers or (),
        count=place.count,
        latent=dims["latent"],
        rope=dims["rope"],
        heads=dims["heads"],
        key_dim=dims["key"],
        value_dim=dims["value"],
    )


@needing("kimi_linear", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    depth = config.whole("num_hidden_layers") or 0
    kinds = _kinds(config, depth)
    if len(kinds) != depth or strange(kinds, ("full_attention", "linear_attention")):
        return unread(
            config, MEMBER.name, tell("give the kind of each layer in linear_attn_config")
        )
    place, dense = _place(config), _dense(config, depth)
    sparse = [i for i in range(depth) if i not in dense]
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
            *rows(_DELTA, delta.at("self_attn.")),
            *rows(_LATENT, attend.at("self_attn.")),
            *rows(GATED, chosen(place, config, "first_k_dense_replace", dense, depth).at("mlp.")),
            *rows(
                _EXPERTS, chosen(place, config, "first_k_dense_replace", sparse, depth).at("mlp.")
            ),
            *rows("model.norm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(_latent(attend), state_cache(delta, "gated_delta")),
        blocks=tuple(_blocks(config, place, layers_of(kinds, "full_attention"), dense, depth)),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("model_max_length", "max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="kimi_linear",
    title="Kimi Linear",
    source="transformers 5.24 models/kimi_linear",
    model_types=("kimi_linear",),
    build=_build,
)
