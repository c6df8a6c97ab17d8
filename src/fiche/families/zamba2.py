"""Zamba 2: Mamba-2 layers, and transformer blocks whose weights several hybrid layers share.

A hybrid layer reads its own hidden state and the embedding together, so its attention is twice as wide as
the model. Shared weights are stored once a block; each hybrid layer has adapters of its own.
"""

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
    MAMBA2,
    attention_block,
    attention_cache,
    kept,
    key_value_heads,
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
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import Model
from fiche.kernel.said import tell

_NAMES = {
    "heads": "n_mamba_heads",
    "width": "mamba_headdim",
    "groups": "mamba_ngroups",
    "state": "mamba_d_state",
    "kernel": "mamba_d_conv",
    "expand": "mamba_expand",
}

_SHARED = """
self_attn.q_proj linear query wide
self_attn.{k,v}_proj linear kv wide
self_attn.o_proj linear hidden query
feed_forward.gate_up_proj linear+add_bias 2*ffn hidden
feed_forward.down_proj linear+add_bias hidden ffn
input_layernorm norm wide
pre_ff_layernorm norm hidden
"""

_ADAPTERS = """
?attention_adapter self_attn.linear_{q,k,v}_adapter_list.*.* linear rank wide
?attention_adapter self_attn.linear_{q,k,v}_adapter_list.*.* linear wide rank
feed_forward.gate_up_proj_adapter_list.*.* linear rank hidden
feed_forward.gate_up_proj_adapter_list.*.* linear 2*ffn rank
"""

# The class's own list where the configuration has none: 54 layers, hybrid at these places.
_HYBRID = (6, 12, 18, 24, 30, 36, 42, 47, 51)


def _place(config: Config) -> Place:
    hidden, heads = config.number("hidden_size"), config.number("num_attention_heads")
    kv_heads, head = key_value_heads(config), floor(2 * hidden / heads)
    four = 4 * hidden
    ffn: Node = (
        four if config.value("intermediate_size") is None else config.number("intermediate_size")
    )
    words = words_of(
        config,
        add_bias="add_bias_linear",
        proj_bias="add_bias_linear",
        out_bias="add_bias_linear",
        conv_bias="use_conv_bias",
        attention_adapter="use_shared_attention_adapter",
    )
    return Place(dims=mamba2_dims(config, _NAMES)).where(
        "gated_norm",
        *words,
        vocabulary=config.number("vocab_size"),
        heads=heads,
        kv_heads=kv_heads,
        head=head,
        query=heads * head,
        kv=kv_heads * head,
        wide=2 * hidden,
        ffn=ffn,
        rank=config.number("adapter_rank"),
    )


def _kinds(config: Config, depth: int) -> list[str] | None:
    listed = kinds_of(config, "layers_block_type", "layer_types")
    if listed is None and depth == config.defaults.get("num_hidden_layers"):
        listed = ["hybrid" if i in _HYBRID else "linear_attention" for i in range(depth)]
    return listed


@needing("zamba2", "num_hidden_layers", "num_mem_blocks")
def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    depth, name = config.whole("num_hidden_layers") or 0, "layers_block_type"
    kinds = _kinds(config, depth)
    if kinds is None or len(kinds) != depth or strange(kinds, ("hybrid", "linear_attention")):
        return unread(
            config, MEMBER.name, tell("give {name}: one of mamba, hybrid for each layer", name=name)
        )
    place = _place(config)
    hybrid, plain = layers_of(kinds, "hybrid"), layers_of(kinds, "linear_attention")
    at_hybrid = place.over("model.layers.*.", hybrid, counted(config, name, len(hybrid)))
    at_plain = place.over("model.layers.*.", plain, some(config, name, plain, depth))
    everywhere = place.over("model.layers.*.", range(depth), config.number("num_hidden_layers"))
    shared = hybrid[: config.whole("num_mem_blocks") or 0]
    blocks = config.number("num_mem_blocks")
    if len(shared) < (config.whole("num_mem_blocks") or 0):
        blocks = counted(config, name, len(shared))
    at_shared = place.over("model.layers.*.shared_transformer.", shared, blocks)
    tied = config.flag("tie_word_embeddings")
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(EMBEDDING, place.at("model.")),
            *rows(f"input_layernorm norm hidden\n{_prefixed('mamba.')}", at_plain),
            *rows("linear linear hidden hidden", at_hybrid),
            *rows(
                f"input_layernorm norm hidden\n{_prefixed('mamba.')}",
                at_hybrid.at("mamba_decoder."),
            ),
            *rows(_SHARED, at_shared),
            *rows(_ADAPTERS, at_hybrid.at("shared_transformer.")),
            *rows("model.final_layernorm norm hidden", place),
            *head_of(tied, place),
        ),
        caches=kept(attention_cache(at_hybrid), state_cache(everywhere, "mamba2")),
        blocks=trained(
            attention_block(at_hybrid, place.dims["ffn"]), state_block(everywhere, "mamba2")
        ),
        tied=tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims["vocabulary"],
        positions=config.number("max_position_embeddings"),
        storage=storage_of(config),
        config=config,
    )


def _prefixed(prefix: str) -> str:
    """The table of the mixer under a prefix."""
    lines = []
    for line in MAMBA2.strip().split("\n"):
        before, _, after = line.partition(" ") if line.startswith("?") else ("", "", line)
        lines.append(f"{before} {prefix}{after}".strip())
    return "\n".join(lines)


MEMBER = Family(
    name="zamba2",
    title="Zamba 2",
    source="transformers 5.24 models/zamba2",
    model_types=("zamba2",),
    build=_build,
)
