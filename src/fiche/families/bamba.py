"""Bamba and Granite 4 hybrids: Mamba-2 layers with attention at named places, each with a feed-forward."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.families._state import (
    ATTENTION,
    EMBEDDING,
    GATED,
    MAMBA2,
    attention_block,
    attention_cache,
    attention_dims,
    chosen,
    kept,
    kinds_of,
    layers_of,
    mamba2_dims,
    state_block,
    state_cache,
    strange,
    trained,
    words_of,
)
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node
from fiche.kernel.model import Model, Parameters

_NAMES = {
    "heads": "mamba_n_heads",
    "width": "mamba_d_head",
    "groups": "mamba_n_groups",
    "state": "mamba_d_state",
    "kernel": "mamba_d_conv",
    "expand": "mamba_expand",
}

_BAMBA_NORMS = """
input_layernorm norm hidden
pre_ff_layernorm norm hidden
"""

_GRANITE = """
input_layernorm norm hidden
post_attention_layernorm norm hidden
?experts block_sparse_moe.router router experts hidden
?experts block_sparse_moe.experts.gate_up_proj =expert experts 2*expert_ffn hidden
?experts block_sparse_moe.experts.down_proj =expert experts hidden expert_ffn
shared_mlp.input_linear linear 2*ffn hidden
shared_mlp.output_linear linear hidden ffn
"""


def _place(config: Config) -> Place:
    dims = {**mamba2_dims(config, _NAMES), **attention_dims(config)}
    words = words_of(
        config,
        attention_bias="attention_bias",
        mlp_bias="mlp_bias",
        proj_bias="mamba_proj_bias",
        out_bias="mamba_proj_bias",
        conv_bias="mamba_conv_bias",
    )
    place = Place(dims=dims).where("gated_norm", *words)
    if config.model_type == "bamba":
        return place.where(ffn=config.number("intermediate_size"))
    place = place.where(ffn=config.number("shared_intermediate_size"))
    if config.whole("num_local_experts") == 0:
        return place
    return place.where(
        "experts",
        experts=config.number("num_local_experts"),
        expert_ffn=config.number("intermediate_size"),
    )


def _kinds(config: Config, depth: int) -> tuple[str, list[str]]:
    """The name of the key that places the attention, and the kind of each layer."""
    if config.model_type == "bamba":
        attend = config.listed("attn_layer_indices") or []
        return "attn_layer_indices", [
            "full_attention" if i in attend else "linear_attention" for i in range(depth)
        ]
    listed = kinds_of(config, "layer_types", "layers_block_type")
    return "layer_types", ["linear_attention"] * depth if listed is None else listed


def _feed_forward(place: Place) -> tuple[Parameters, ...]:
    if "granite" in place.words:
        return rows(_GRANITE, place)
    return (*rows(_BAMBA_NORMS, place), *rows(GATED, place.at("feed_forward.")))


@needing("bamba", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    granite = config.model_type != "bamba"
    place = _place(config).where(*(["granite"] if granite else []))
    depth = config.whole("num_hidden_layers") or 0
    name, kinds = _kinds(config, depth)
    unknown = strange(kinds, ("full_attention", "linear_attention"))
    if unknown or len(kinds) != depth:
        found = ", ".join(unknown) or f"{len(kinds)} kinds for {depth} layers"
        return unread(
            config, MEMBER.name, f"layer_types of {config.model_type} not understood: {found}"
        )
    attend = chosen(place, config, name, layers_of(kinds, "full_attention"), depth)
    states = chosen(place, config, name, layers_of(kinds, "linear_attention"), depth)
    width: dict[str, Node] = {}
    if "experts" in place.words:
        width = {
            "experts_used": config.number("num_experts_per_tok"),
            "shared_inner": place.dims["ffn"],
        }
    ffn = place.dims["expert_ffn" if width else "ffn"]
    tied = config.flag("tie_word_embeddings")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(EMBEDDING, place.at("model.")),
            *_feed_forward(chosen(place, config, "num_hidden_layers", range(depth), depth)),
            *rows(MAMBA2, states.at("mamba.")),
            *rows(ATTENTION, attend.at("self_attn.")),
            *rows(f"model.{'norm' if granite else 'final_layernorm'} norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(attention_cache(attend), state_cache(states, "mamba2")),
        blocks=trained(
            attention_block(attend, ffn, **width), state_block(states, "mamba2", ffn, **width)
        ),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="bamba",
    title="Mamba-2 hybrids with a feed-forward in every layer",
    source="transformers 5.24 models/bamba and models/granitemoehybrid; estimators.md 2.2",
    model_types=("bamba", "granitemoehybrid"),
    build=_build,
)
