"""LFM2: short convolutions with attention at some layers, and a feed-forward or experts in each."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from fiche.families._reads import architecture_of, head_of, needing, storage_of, unread
from fiche.families._rows import Place, fixed, rows
from fiche.families._state import (
    EMBEDDING,
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
from fiche.kernel.figure import Node, ceil, floor
from fiche.kernel.model import Block, Model
from fiche.kernel.said import tell

_LAYER = """
operator_norm norm hidden
ffn_norm norm hidden
"""

_CONVOLUTION = """
conv convolution+conv_bias hidden 1 kernel
in_proj linear+conv_bias 3*hidden hidden
out_proj linear+conv_bias hidden hidden
"""

_ATTENTION = """
q_proj linear query hidden
{k,v}_proj linear kv hidden
out_proj linear hidden query
{q,k}_layernorm norm head
"""

_DENSE = """
w1 linear ffn hidden
w3 linear ffn hidden
w2 linear hidden ffn
"""

_EXPERTS = """
gate router experts hidden
?expert_bias expert_bias =buffer experts
experts.gate_up_proj =expert experts 2*expert_ffn hidden
experts.down_proj =expert experts hidden expert_ffn
"""


def _width(config: Config) -> Node:
    """Width of the feed-forward: two thirds of the one stated, rounded up to a multiple, where so asked."""
    width = config.number(
        *(["block_ff_dim"] if config.told("block_ff_dim") else []), "intermediate_size"
    )
    if not config.flag("block_auto_adjust_ff_dim"):
        return width
    adjusted: Node = floor(2 * width / 3)
    factor = config.value("block_ffn_dim_multiplier")
    if factor is None and config.told("block_ffn_dim_multiplier"):
        return adjusted
    if isinstance(factor, Fraction | int) and not isinstance(factor, bool):
        adjusted = floor(adjusted * factor)
    multiple = config.number("block_multiple_of")
    return ceil(adjusted / multiple) * multiple


def _place(config: Config) -> Place:
    place = Place(dims=attention_dims(config)).where(
        *words_of(config, conv_bias="conv_bias", expert_bias="use_expert_bias"),
        ffn=_width(config),
        channels=config.number("hidden_size"),
        kernel=config.number("conv_L_cache"),
        state_values=fixed(0),
    )
    if config.model_type == "lfm2":
        return place
    return place.where(
        experts=config.number("num_experts", "num_local_experts"),
        expert_ffn=config.number("moe_intermediate_size"),
    )


def _kinds(config: Config, depth: int) -> list[str]:
    listed = kinds_of(config, "layer_types")
    if listed is not None:
        return listed
    attend = config.listed("full_attn_idxs")
    if config.model_type != "lfm2":
        return []
    return ["full_attention" if attend is None or i in attend else "conv" for i in range(depth)]


def _blocks(
    config: Config, place: Place, attend: tuple[int, ...], dense: range, depth: int
) -> list[Block]:
    found = []
    for attends, is_dense, layers in crossings(attend, dense, depth):
        here = chosen(place, config, "layer_types", layers, depth)
        used = {} if is_dense else {"experts_used": config.number("num_experts_per_tok")}
        inner = place.dims["ffn" if is_dense else "expert_ffn"]
        found.append(
            attention_block(here, inner, **used)
            if attends
            else state_block(here, "short_convolution", inner, **used)
        )
    return found


@needing("lfm2", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    depth = config.whole("num_hidden_layers") or 0
    kinds = _kinds(config, depth)
    if len(kinds) != depth or strange(kinds, ("full_attention", "conv")):
        return unread(
            config, MEMBER.name, tell("give layer_types: conv or full_attention for each layer")
        )
    place = _place(config)
    moe = config.model_type == "lfm2_moe"
    dense = range(min(config.whole("num_dense_layers") or 0, depth) if moe else depth)
    sparse = [i for i in range(depth) if i not in dense]
    attend = chosen(place, config, "layer_types", layers_of(kinds, "full_attention"), depth)
    convolve = chosen(place, config, "layer_types", layers_of(kinds, "conv"), depth)
    tied = config.flag("tie_embedding" if config.told("tie_embedding") else "tie_word_embeddings")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(EMBEDDING, place.at("model.")),
            *rows(_LAYER, chosen(place, config, "num_hidden_layers", range(depth), depth)),
            *rows(_CONVOLUTION, convolve.at("conv.")),
            *rows(_ATTENTION, attend.at("self_attn.")),
            *rows(
                _DENSE, chosen(place, config, "num_dense_layers", dense, depth).at("feed_forward.")
            ),
            *rows(
                _EXPERTS,
                chosen(place, config, "num_dense_layers", sparse, depth).at("feed_forward."),
            ),
            *rows("model.embedding_norm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(attention_cache(attend), state_cache(convolve, "short_convolution")),
        blocks=tuple(_blocks(config, place, layers_of(kinds, "full_attention"), dense, depth)),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


MEMBER = Family(
    name="lfm2",
    title="LFM2",
    source="transformers 5.24 models/lfm2 and models/lfm2_moe",
    model_types=("lfm2", "lfm2_moe"),
    build=_build,
)
