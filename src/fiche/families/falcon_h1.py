"""Falcon-H1: every layer runs attention and a Mamba-2 mixer beside each other."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of
from fiche.families._rows import Place, rows
from fiche.families._state import (
    ATTENTION,
    EMBEDDING,
    GATED,
    MAMBA2,
    attention_block,
    attention_cache,
    attention_dims,
    expanded,
    state_cache,
    words_of,
)
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model

_NORMS = """
input_layernorm norm hidden
pre_ff_layernorm norm hidden
"""


def _place(config: Config) -> Place:
    told = config.value("mamba_d_ssm") is not None
    width = (
        config.number("mamba_d_ssm")
        if told
        else expanded(config, "mamba_expand", config.number("hidden_size"))
    )
    groups, state = config.number("mamba_n_groups"), config.number("mamba_d_state")
    words = words_of(
        config,
        attention_bias="attention_bias",
        mlp_bias="mlp_bias",
        proj_bias="mamba_proj_bias",
        out_bias="projectors_bias",
        conv_bias="mamba_conv_bias",
        gated_norm="mamba_rms_norm",
    )
    return Place(dims=attention_dims(config)).where(
        *words,
        ffn=config.number("intermediate_size"),
        state_heads=config.number("mamba_n_heads"),
        inner=width,
        channels=width + 2 * groups * state,
        kernel=config.number("mamba_d_conv"),
        state_values=width * state,
    )


@needing("falcon_h1", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    place = _place(config)
    depth = range(config.whole("num_hidden_layers") or 0)
    layer = place.over("model.layers.*.", depth, config.number("num_hidden_layers"))
    tied = config.flag("tie_word_embeddings")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(EMBEDDING, place.at("model.")),
            *rows(_NORMS, layer),
            *rows(GATED, layer.at("feed_forward.")),
            *rows(MAMBA2, layer.at("mamba.")),
            *rows(ATTENTION, layer.at("self_attn.")),
            *rows("model.final_layernorm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=(attention_cache(layer), state_cache(layer, "mamba2")),
        blocks=(attention_block(layer, place.dims["ffn"], kind="attention+mamba2"),),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="falcon_h1",
    title="Falcon-H1",
    source="transformers 5.24 models/falcon_h1",
    model_types=("falcon_h1",),
    build=_build,
)
