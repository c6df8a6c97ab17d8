"""Nemotron-H: each layer one mixer alone, Mamba-2, attention, feed-forward or experts, by a pattern."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, counted, head_of, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.families._state import (
    ATTENTION,
    MAMBA2,
    attention_block,
    attention_cache,
    attention_dims,
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
from fiche.kernel.model import Block, Model, Parameters
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_NAMES = {
    "heads": "mamba_num_heads",
    "width": "mamba_head_dim",
    "groups": "n_groups",
    "state": "ssm_state_size",
    "kernel": "conv_kernel",
    "expand": "expand",
}

_SIGNS = {"M": "linear_attention", "*": "full_attention", "-": "mlp", "E": "moe"}

_MLP = """
up_proj linear+mlp_bias ffn hidden
down_proj linear+mlp_bias hidden ffn
"""

_EXPERTS = """
gate router experts hidden
gate.e_score_correction_bias =buffer experts
experts.up_proj =expert experts expert_ffn expert_in
experts.down_proj =expert experts expert_in expert_ffn
?latent fc1_latent_proj linear+mlp_bias expert_in hidden
?latent fc2_latent_proj linear+mlp_bias hidden expert_in
?shared shared_experts.up_proj linear+mlp_bias shared_ffn hidden
?shared shared_experts.down_proj linear+mlp_bias hidden shared_ffn
"""


def _kinds(config: Config) -> tuple[str, list[str]]:
    """The key that says what each layer is, and the kind of each."""
    name = "hybrid_override_pattern"
    listed = kinds_of(config, "layers_block_type", "layer_types")
    if listed is None and config.text(name):
        return name, [_SIGNS.get(sign, sign) for sign in config.text(name)]
    return "layers_block_type", listed or []


def _place(config: Config) -> Place:
    dims = {**mamba2_dims(config, _NAMES), **attention_dims(config)}
    words = words_of(
        config,
        mlp_bias="mlp_bias",
        proj_bias="use_bias",
        out_bias="use_bias",
        conv_bias="use_conv_bias",
    )
    latent = config.value("moe_latent_size") is not None
    return Place(dims=dims).where(
        "gated_norm",
        *words,
        *(["latent"] if latent else []),
        *([] if config.whole("n_shared_experts") == 0 else ["shared"]),
        ffn=config.number("intermediate_size"),
        experts=config.number("n_routed_experts", "num_local_experts"),
        expert_ffn=config.number("moe_intermediate_size"),
        expert_in=config.number("moe_latent_size" if latent else "hidden_size"),
        shared_ffn=config.number("moe_shared_expert_intermediate_size"),
    )


def _parameters(place: Place, kinds: dict[str, Place], everything: Place) -> tuple[Parameters, ...]:
    return (
        *rows("model.embeddings embedding vocabulary hidden", place),
        *rows("norm norm hidden", everything),
        *rows(MAMBA2, kinds["linear_attention"].at("mixer.")),
        *rows(ATTENTION, kinds["full_attention"].at("mixer.")),
        *rows(_MLP, kinds["mlp"].at("mixer.")),
        *rows(_EXPERTS, kinds["moe"].at("mixer.")),
        *rows("model.norm_f norm hidden", place),
    )


def _blocks(config: Config, place: Place, kinds: dict[str, Place]) -> tuple[Block, ...]:
    moe = state_block(kinds["moe"], "mlp", place.dims["expert_ffn"], gated=False)
    used = config.number("num_experts_per_tok")
    return trained(
        attention_block(kinds["full_attention"]),
        state_block(kinds["linear_attention"], "mamba2"),
        state_block(kinds["mlp"], "mlp", place.dims["ffn"], gated=False),
        replace(moe, experts_used=used, shared_inner=place.dims["shared_ffn"]),
    )


def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    name, listed = _kinds(config)
    unknown = strange(listed, _SIGNS.values())
    if unknown or not listed:
        text = (
            tell("kinds of layers not understood: {unknown}", unknown=", ".join(unknown))
            if unknown
            else tell("give {name}", name=name)
        )
        return unread(config, MEMBER.name, text)
    place = _place(config)
    kinds = {}
    for kind in _SIGNS.values():
        layers = layers_of(listed, kind)
        kinds[kind] = place.over("model.layers.*.", layers, counted(config, name, len(layers)))
    everything = place.over(
        "model.layers.*.", range(len(listed)), counted(config, name, len(listed))
    )
    tied = config.flag("tie_word_embeddings")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(*_parameters(place, kinds, everything), *head_of(tied, place)),
        caches=kept(
            attention_cache(kinds["full_attention"]),
            state_cache(kinds["linear_attention"], "mamba2"),
        ),
        blocks=_blocks(config, place, kinds),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="nemotron_h",
    title="Nemotron-H",
    source="transformers 5.24 models/nemotron_h; estimators.md 2.2",
    model_types=("nemotron_h",),
    build=_build,
)
