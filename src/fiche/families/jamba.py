"""Jamba: Mamba layers, attention once a period, experts in every other feed-forward."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, head_of, needing, storage_of
from fiche.families._rows import Place, rows
from fiche.families._state import (
    ATTENTION,
    EMBEDDING,
    GATED,
    MAMBA,
    attention_block,
    attention_cache,
    attention_dims,
    chosen,
    kept,
    mamba_dims,
    state_block,
    state_cache,
    trained,
    words_of,
)
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node
from fiche.kernel.model import Block, Model, Parameters

_NAMES = {
    "expand": "mamba_expand",
    "state": "mamba_d_state",
    "kernel": "mamba_d_conv",
    "rank": "mamba_dt_rank",
}

_NORMS = """
input_layernorm norm hidden
pre_ff_layernorm norm hidden
"""

_STATE_NORMS = """
dt_layernorm norm rank
{b,c}_layernorm norm state
"""

_EXPERTS = """
router router experts hidden
experts.gate_up_proj =expert experts 2*ffn hidden
experts.down_proj =expert experts hidden ffn
"""


def _place(config: Config) -> Place:
    dims = {**mamba_dims(config, _NAMES), **attention_dims(config)}
    words = words_of(config, proj_bias="mamba_proj_bias", conv_bias="mamba_conv_bias")
    return Place(dims=dims).where(
        *words,
        ffn=config.number("intermediate_size"),
        experts=config.number("num_experts", "num_local_experts"),
        channels=dims["inner"],
        state_values=dims["inner"] * dims["state"],
    )


def _periodic(config: Config, kind: str, depth: int) -> tuple[int, ...]:
    period, offset = config.whole(f"{kind}_layer_period"), config.whole(f"{kind}_layer_offset")
    return tuple(i for i in range(depth) if period and i % period == offset)


def _layers(
    place: Place, attends: Place, states: Place, sparse: Place, dense: Place
) -> list[Parameters]:
    return [
        *rows(_NORMS, place),
        *rows(MAMBA, states.at("mamba.")),
        *rows(_STATE_NORMS, states.at("mamba.")),
        *rows(ATTENTION, attends.at("self_attn.")),
        *rows(GATED, dense.at("feed_forward.")),
        *rows(_EXPERTS, sparse.at("feed_forward.")),
    ]


def _blocks(
    config: Config, place: Place, depth: int, attend: set[int], sparse: set[int]
) -> list[Block]:
    found = []
    for attends in (True, False):
        for with_experts in (True, False):
            layers = [
                i for i in range(depth) if (i in attend, i in sparse) == (attends, with_experts)
            ]
            here = chosen(place, config, "attn_layer_period", layers, depth)
            used: dict[str, Node] = {}
            if with_experts:
                used["experts_used"] = config.number("num_experts_per_tok")
            inner = place.dims["ffn"]
            made = (
                attention_block(here, inner, **used)
                if attends
                else state_block(here, "mamba", inner, **used)
            )
            found.append(made)
    return found


@needing("jamba", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    place = _place(config)
    depth = config.whole("num_hidden_layers") or 0
    attend = _periodic(config, "attn", depth)
    single = config.whole("num_experts", "num_local_experts") == 1
    sparse = () if single else _periodic(config, "expert", depth)
    rest = [i for i in range(depth) if i not in attend]
    dense = [i for i in range(depth) if i not in sparse]
    at_attention = chosen(place, config, "attn_layer_period", attend, depth)
    at_state = chosen(place, config, "attn_layer_period", rest, depth)
    tied = config.flag("tie_word_embeddings")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(EMBEDDING, place.at("model.")),
            *_layers(
                chosen(place, config, "num_hidden_layers", range(depth), depth),
                at_attention,
                at_state,
                chosen(place, config, "expert_layer_period", sparse, depth),
                chosen(place, config, "expert_layer_period", dense, depth),
            ),
            *rows("model.final_layernorm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(attention_cache(at_attention), state_cache(at_state, "mamba")),
        blocks=trained(*_blocks(config, place, depth, set(attend), set(sparse))),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="jamba",
    title="Jamba",
    source="transformers 5.24 models/jamba; estimators.md 2.2",
    model_types=("jamba",),
    build=_build,
)
