"""PLaMo 2: state layers with attention in the middle of each step of layers, and norms on both sides."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, asked, head_of, needing, some, storage_of
from fiche.families._rows import Place, rows
from fiche.families._state import (
    attention_block,
    attention_cache,
    kept,
    state_block,
    state_cache,
    trained,
)
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, floor, larger
from fiche.kernel.model import Model
from fiche.kernel.said import tell

_REQUIRED = (
    *("vocab_size", "hidden_size", "intermediate_size", "num_attention_heads"),
    *("num_key_value_heads", "hidden_size_per_head", "mamba_d_state", "mamba_d_conv"),
    *("mamba_num_heads", "mamba_step", "tie_word_embeddings"),
)

_LAYER = """
{pre,post}_mixer_norm norm hidden
{pre,post}_mlp_norm norm hidden
mlp.gate_up_proj linear 2*ffn hidden
mlp.down_proj linear hidden ffn
"""

_STATE = """
mixer.in_proj linear 2*inner hidden
mixer.conv1d convolution inner 1 kernel
mixer.bcdt_proj linear rank+2*state inner
mixer.dt_proj linear state_heads rank
mixer.A_log =recurrent state_heads
mixer.D =recurrent state_heads
mixer.dt_bias =recurrent state_heads
mixer.dt_norm_weight =norm rank
mixer.{B,C}_norm_weight =norm state
mixer.out_proj linear hidden inner
"""

_ATTENTION = """
mixer.qkv_proj linear query+2*kv hidden
mixer.o_proj linear hidden query
mixer.q_weight =norm heads head
mixer.k_weight =norm kv_heads head
"""


def _dims(config: Config) -> dict[str, Node]:
    head, hidden = config.number("hidden_size_per_head"), config.number("hidden_size")
    heads, kv_heads = config.number("num_attention_heads"), config.number("num_key_value_heads")
    state, inner = config.number("mamba_d_state"), config.number("mamba_num_heads") * head
    return {
        "hidden": hidden,
        "vocabulary": config.number("vocab_size"),
        "ffn": config.number("intermediate_size"),
        "heads": heads,
        "kv_heads": kv_heads,
        "head": head,
        "query": heads * head,
        "kv": kv_heads * head,
        "state": state,
        "state_heads": config.number("mamba_num_heads"),
        "inner": inner,
        "kernel": config.number("mamba_d_conv"),
        "rank": larger(64, floor(hidden / 16)),
        "channels": inner,
        "state_values": inner * state,
    }


def _attends(config: Config, depth: int) -> list[int]:
    """In the middle of each step; in a model of less than half a step, the last layer."""
    step = config.whole("mamba_step") or 2
    if depth <= step // 2:
        return [depth - 1] if depth else []
    return [index for index in range(depth) if index % max(step, 1) == step // 2]


def _over(place: Place, config: Config, name: str, layers: list[int], depth: int) -> Place:
    return place.over("layers.*.", layers, some(config, name, layers, depth))


@needing("plamo2", "num_hidden_layers")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    place = Place(dims=_dims(config))
    depth = config.whole("num_hidden_layers") or 0
    attend = _attends(config, depth)
    rest = [index for index in range(depth) if index not in attend]
    # The code wraps the list of layers in a module of its own.
    inside = place.at("model.layers.")
    everywhere = _over(inside, config, "num_hidden_layers", list(range(depth)), depth)
    attends = _over(inside, config, "mamba_step", attend, depth)
    states = _over(inside, config, "mamba_step", rest, depth)
    layers = (
        *rows(_LAYER, everywhere),
        *rows(_STATE, states),
        *rows(_ATTENTION, attends),
    )
    tied = config.flag("tie_word_embeddings")
    ffn = place.dims["ffn"]
    absent = [key for key in _REQUIRED if not config.told(key)]
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows("model.embed_tokens embedding vocabulary hidden", place),
            *layers,
            *rows("model.norm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(attention_cache(attends), state_cache(states, "mamba2")),
        blocks=trained(attention_block(attends, ffn), state_block(states, "mamba2", ffn)),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
        open=tuple(
            asked(tell("give {key}: no class known here has a default", key=key)) for key in absent
        ),
    )


MEMBER = Family(
    name="plamo2",
    title="PLaMo 2",
    source="vLLM's model file plamo2",
    model_types=("plamo2",),
    build=_build,
)
