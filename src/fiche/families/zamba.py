"""Zamba: Mamba layers of several heads, and one transformer that some of them share."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import (
    architecture_of,
    counted,
    head_of,
    needing,
    some,
    storage_of,
    unread,
)
from fiche.families._rows import Place, rows
from fiche.families._state import (
    EMBEDDING,
    attention_block,
    attention_cache,
    expanded,
    kept,
    key_value_heads,
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
from fiche.kernel.figure import Node, ceil, floor
from fiche.kernel.model import Model
from fiche.kernel.said import tell

_MIXER = """
{m}mamba.x_proj_weight =linear state_heads rank+2*state share
{m}mamba.dt_proj_weight =linear state_heads share rank
{m}mamba.dt_proj_bias =bias state_heads share
{m}mamba.A_log =recurrent state_heads share state
{m}mamba.D =recurrent state_heads share
{m}mamba.conv1d convolution+conv_bias inner 1 kernel
{m}mamba.in_proj linear+proj_bias 2*inner hidden
{m}mamba.out_proj linear+proj_bias hidden inner
{m}input_layernorm norm hidden
"""

_SHARED = """
self_attn.q_proj linear query wide
self_attn.{k,v}_proj linear kv wide
self_attn.o_proj linear hidden query
feed_forward.{gate,up}_proj linear ffn hidden
feed_forward.down_proj linear hidden ffn
input_layernorm norm wide
pre_ff_layernorm norm hidden
"""


def _wide(config: Config, key: str, otherwise: Node) -> Node:
    return otherwise if config.value(key) is None else config.number(key)


def _place(config: Config) -> Place:
    hidden, heads = config.number("hidden_size"), config.number("num_attention_heads")
    wide = _wide(config, "attention_hidden_size", 2 * hidden)
    head = _wide(config, "attention_head_dim", floor(2 * hidden / heads))
    inner = expanded(config, "mamba_expand", hidden)
    state_heads, state = config.number("n_mamba_heads"), config.number("mamba_d_state")
    rank = config.value("mamba_dt_rank")
    kv_heads = key_value_heads(config)
    return Place(
        dims={
            "hidden": hidden,
            "vocabulary": config.number("vocab_size"),
            "heads": heads,
            "kv_heads": kv_heads,
            "head": head,
            "query": heads * head,
            "kv": kv_heads * head,
            "wide": wide,
            "ffn": config.number("intermediate_size"),
            "inner": inner,
            "channels": inner,
            "share": floor(inner / state_heads),
            "state_heads": state_heads,
            "state": state,
            "state_values": inner * state,
            "kernel": config.number("mamba_d_conv"),
            "rank": ceil(hidden / 16) if rank == "auto" else config.number("mamba_dt_rank"),
        }
    ).where(*words_of(config, conv_bias="mamba_conv_bias", proj_bias="mamba_proj_bias"))


def _kinds(config: Config, depth: int) -> list[str]:
    """As listed, else two Mamba layers, a hybrid one, and hybrid ones once a period."""
    listed = kinds_of(config, "layers_block_type", "layer_types")
    if listed is not None:
        return listed
    period, offset = config.whole("attn_layer_period") or 1, config.whole("attn_layer_offset")
    rest = [
        "hybrid" if index % max(period, 1) == offset else "linear_attention"
        for index in range(max(depth - 3, 0))
    ]
    return ["linear_attention", "linear_attention", "hybrid", *rest][:depth]


@needing("zamba", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    depth, name = config.whole("num_hidden_layers") or 0, "layers_block_type"
    kinds = _kinds(config, depth)
    if len(kinds) != depth or strange(kinds, ("hybrid", "linear_attention")):
        return unread(
            config, MEMBER.name, tell("give {name}: one of mamba, hybrid for each layer", name=name)
        )
    place = _place(config)
    hybrid, plain = layers_of(kinds, "hybrid"), layers_of(kinds, "linear_attention")
    at_hybrid = place.over("model.layers.*.", hybrid, counted(config, name, len(hybrid)))
    at_plain = place.over("model.layers.*.", plain, some(config, name, plain, depth))
    everywhere = place.over("model.layers.*.", range(depth), config.number("num_hidden_layers"))
    tied = config.flag("tie_word_embeddings")
    # The library shares the transformer by the switch that ties the head.
    once = hybrid if tied is False else hybrid[:1]
    shared = place.over("model.layers.*.shared_transf.", once, counted(config, name, len(once)))
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(EMBEDDING, place.at("model.")),
            *rows(_MIXER.replace("{m}", ""), at_plain),
            *rows("linear linear hidden hidden", at_hybrid),
            *rows(_MIXER.replace("{m}", "mamba_decoder."), at_hybrid),
            *rows(_SHARED, shared),
            *rows("model.final_layernorm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(attention_cache(at_hybrid), state_cache(everywhere, "mamba")),
        blocks=trained(
            attention_block(at_hybrid, place.dims["ffn"]), state_block(everywhere, "mamba")
        ),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="zamba",
    title="Zamba",
    source="transformers 5.24 models/zamba",
    model_types=("zamba",),
    build=_build,
)
