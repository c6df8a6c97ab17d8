"""What models with recurrent layers share: kinds of layers, tables of mixers, and states by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fiche.families._reads import some
from fiche.families._rows import Place
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, ceil, floor
from fiche.kernel.model import AttentionCache, Block, Cache, StateCache

# Older and newer words for one kind of layer, as the library maps them (transformers 5.24,
# configuration_utils).
_KINDS = {
    "attention": "full_attention",
    "mamba": "linear_attention",
    "recurrent": "linear_attention",
    "sliding_window_attention": "sliding_attention",
}

EMBEDDING = "embed_tokens embedding vocabulary hidden"

MAMBA = """
in_proj linear+proj_bias 2*inner hidden
conv1d convolution+conv_bias inner 1 kernel
x_proj linear rank+2*state inner
dt_proj linear+ inner rank
A_log =recurrent inner state
D =recurrent inner
out_proj linear+proj_bias hidden inner
"""

# `channels` are those of the convolution: the inner width, and the inputs and outputs of each group's state.
MAMBA2 = """
in_proj linear+proj_bias inner+channels+state_heads hidden
conv1d convolution+conv_bias channels 1 kernel
dt_bias =recurrent state_heads
A_log =recurrent state_heads
D =recurrent state_heads
?gated_norm norm norm inner
out_proj linear+out_bias hidden inner
"""

ATTENTION = """
q_proj linear+attention_bias query hidden
{k,v}_proj linear+attention_bias kv hidden
o_proj linear+attention_bias hidden query
"""

GATED = """
{gate,up}_proj linear+mlp_bias ffn hidden
down_proj linear+mlp_bias hidden ffn
"""


def kinds_of(config: Config, *names: str) -> list[str] | None:
    """The kind of each layer as the list under one of these names says, in today's words."""
    listed = config.listed(*names)
    if listed is None:
        return None
    return [_KINDS.get(kind, kind) if isinstance(kind, str) else "" for kind in listed]


def layers_of(kinds: Sequence[str], *wanted: str) -> tuple[int, ...]:
    """The indices of the layers of these kinds."""
    return tuple(index for index, kind in enumerate(kinds) if kind in wanted)


def strange(kinds: Iterable[str], known: Iterable[str]) -> list[str]:
    """The kinds of layers that a family does not know."""
    return sorted(set(kinds) - set(known))


def key_value_heads(config: Config) -> Node:
    """Heads of keys and values: those of the queries where the configuration leaves them out."""
    if config.value("num_key_value_heads") is None:
        return config.number("num_attention_heads")
    return config.number("num_key_value_heads")


def head_width(config: Config, name: str = "head_dim") -> Node:
    """The width of a head: the configuration's own, else hidden / heads."""
    if config.value(name) is None:
        return floor(config.number("hidden_size") / config.number("num_attention_heads"))
    return config.number(name)


def mamba_dims(config: Config, names: Mapping[str, str]) -> dict[str, Node]:
    """Widths of a first-generation mixer; `names` gives the keys of expand, state, kernel and rank."""
    hidden = config.number("hidden_size")
    inner = expanded(config, names["expand"], hidden)
    rank = config.value(names["rank"])
    return {
        "hidden": hidden,
        "inner": inner,
        "state": config.number(names["state"]),
        "kernel": config.number(names["kernel"]),
        "rank": ceil(hidden / 16) if rank in ("auto", None) else config.number(names["rank"]),
    }


def expanded(config: Config, name: str, width: Node) -> Node:
    """A width times the factor under `name`, a whole number or a fraction, rounded down."""
    value = config.value(name)
    if isinstance(value, int | str | bool | list | dict) or value is None:
        return config.number(name) * width
    return floor(width * value)


def mamba2_dims(config: Config, names: Mapping[str, str]) -> dict[str, Node]:
    """Widths of a second-generation mixer.

    `names` gives the keys of heads, width, groups, state, kernel and expand. A head's width that is absent
    or `auto` is expand x hidden / heads.
    """
    heads = config.number(names["heads"])
    told = config.whole(names["width"]) is not None
    inner = (
        heads * config.number(names["width"])
        if told
        else expanded(config, names["expand"], config.number("hidden_size"))
    )
    groups, state = config.number(names["groups"]), config.number(names["state"])
    return {
        "hidden": config.number("hidden_size"),
        "state_heads": heads,
        "inner": inner,
        "channels": inner + 2 * groups * state,
        "kernel": config.number(names["kernel"]),
        "state_values": inner * state,
    }


def state_cache(place: Place, kind: str) -> StateCache:
    """The state of the layers of a place whose dimensions name channels, kernel and state_values."""
    dims = place.dims
    return StateCache(
        layers=place.layers or (),
        count=place.count,
        kind=kind,
        channels=dims["channels"],
        kernel=dims["kernel"],
        state=dims["state_values"],
    )


def attention_dims(config: Config) -> dict[str, Node]:
    """Widths of attention by the usual names, and of a gated feed-forward."""
    heads, kv_heads, head = (
        config.number("num_attention_heads"),
        key_value_heads(config),
        head_width(config),
    )
    return {
        "hidden": config.number("hidden_size"),
        "vocabulary": config.number("vocab_size"),
        "heads": heads,
        "kv_heads": kv_heads,
        "head": head,
        "query": heads * head,
        "kv": kv_heads * head,
    }


def attention_cache(place: Place) -> AttentionCache:
    """Keys and values of the layers of a place, all tokens."""
    return AttentionCache(
        layers=place.layers or (),
        count=place.count,
        kv_heads=place.dims["kv_heads"],
        key_dim=place.dims["head"],
        value_dim=place.dims["head"],
    )


def attention_block(place: Place, inner: Node | None = None, **more: Node | bool | str) -> Block:
    """The layers of a place as a training step sees them."""
    dims = place.dims
    return Block(
        layers=place.layers or (),
        count=place.count,
        hidden=dims["hidden"],
        heads=dims["heads"],
        query=dims["query"],
        key=dims["kv"],
        value=dims["kv"],
        inner=inner,
        **more,  # type: ignore[arg-type]
    )


def state_block(
    place: Place, kind: str, inner: Node | None = None, **more: Node | bool | str
) -> Block:
    """Layers without attention as a training step sees them."""
    return Block(
        layers=place.layers or (),
        count=place.count,
        hidden=place.dims["hidden"],
        kind=kind,
        inner=inner,
        **more,  # type: ignore[arg-type]
    )


def chosen(place: Place, config: Config, name: str, layers: Sequence[int], depth: int) -> Place:
    """The place of some layers of `model.layers`, counted in the list under `name`."""
    return place.over("model.layers.*.", layers, some(config, name, layers, depth))


def words_of(config: Config, **flags: str) -> tuple[str, ...]:
    """The words whose key (given by name) is true in the configuration."""
    return tuple(word for word, name in flags.items() if config.flag(name))


def kept(*caches: Cache) -> tuple[Cache, ...]:
    """The caches that any layer keeps."""
    return tuple(cache for cache in caches if cache.layers)


def trained(*blocks: Block) -> tuple[Block, ...]:
    """The blocks that have any layer."""
    return tuple(block for block in blocks if block.layers)


def crossings(
    first: Iterable[int], second: Iterable[int], depth: int
) -> Iterator[tuple[bool, bool, list[int]]]:
    """The layers in both sets, in one alone and in neither, where there are any."""
    one, other = frozenset(first), frozenset(second)
    for inside in ((True, True), (True, False), (False, True), (False, False)):
        layers = [i for i in range(depth) if (i in one, i in other) == inside]
        if layers:
            yield *inside, layers
