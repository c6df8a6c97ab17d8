"""Nemotron by architecture search (DeciLM): each layer its own attention and feed-forward, or neither."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims, Names, Part
from fiche.families._reach import FULL
from fiche.families._tables import OUTER
from fiche.kernel.config import Config, Json
from fiche.kernel.figure import Node, ceil, floor
from fiche.kernel.said import tell

# What a layer leaves out takes its norm with it.
_LAYER = """
?attention input_layernorm norm hidden
?attention self_attn.q_proj linear+qkv_bias query hidden
?attention self_attn.{k,v}_proj linear+qkv_bias kv hidden
?attention self_attn.o_proj linear+qkv_bias hidden query
?feed_forward post_attention_layernorm norm hidden
?feed_forward mlp.{gate,up}_proj linear+mlp_bias ffn hidden
?feed_forward mlp.down_proj linear+mlp_bias hidden ffn
"""


def _blocks(config: Config) -> list[dict[str, Json]]:
    return [each if isinstance(each, dict) else {} for each in config.listed("block_configs") or []]


def _side(block: dict[str, Json], name: str) -> dict[str, Json]:
    found = block.get(name)
    return found if isinstance(found, dict) else {}


def _reach(config: Config, layers: int) -> list[str]:
    """A layer without attention keeps nothing."""
    return [
        "mlp" if _side(block, "attention").get("no_op") else FULL
        for block in _blocks(config)[:layers]
    ]


def _parts(dims: Dims, _: list[str]) -> Iterable[Part]:
    found: dict[str, list[int]] = {}
    blocks = _blocks(dims.config)[: len(dims.layers)]
    for index, block in enumerate(blocks):
        found.setdefault(str(sorted(block.items(), key=str)), []).append(index)
    for layers in found.values():
        block, own = blocks[layers[0]], Dims(dims.config, dims.names)
        words = {
            word
            for word, name in (("attention", "attention"), ("feed_forward", "ffn"))
            if not _side(block, name).get("no_op")
        }
        if "feed_forward" not in words:
            words.add("no_feed_forward")
        names: Names = {
            **own.names,
            "kv_heads": _kv_heads(layers[0]),
            "ffn": _inner(layers[0], _side(block, "ffn").get("ffn_mult")),
        }
        yield Part(layers=tuple(layers), dims=Dims(dims.config, names), words=frozenset(words))


def _kv_heads(layer: int) -> Callable[[Dims], Node]:
    """Query heads over the heads of a group."""

    def read(dims: Dims) -> Node:
        inside = _place(dims.config, layer, "attention")
        return floor(dims["heads"] / inside.number("n_heads_in_group"))

    return read


def _inner(layer: int, multiple: Json) -> Callable[[Dims], Node]:
    """Two thirds of a multiple of the width, rounded up to 256 (DeciLM's own rule)."""

    def read(dims: Dims) -> Node:
        if isinstance(multiple, bool | str | list | dict) or multiple is None:
            return _place(dims.config, layer, "ffn").number("ffn_mult")
        return 256 * ceil(floor(2 * multiple * dims["hidden"] / 3) / 256)

    return read


def _place(config: Config, layer: int, name: str) -> Config:
    """The object of one layer as a configuration, so that its numbers point to their place."""
    inside = _side(_blocks(config)[layer], name)
    return Config(
        file=config.file,
        sha256=config.sha256,
        values=inside,
        classes=config.classes,
        classes_of=config.classes_of,
        place=f"{config.place}/block_configs/{layer}/{name}",
    )


def _doubts(config: Config) -> Iterable[str]:
    """Linear stand-ins, windows and sinks shape tensors or caches, and are not read here."""
    for name in ("replace_with_linear", "sparsify", "window_length", "num_sink_tokens"):
        sides = (_side(block, side) for block in _blocks(config) for side in ("attention", "ffn"))
        if any(side.get(name) for side in sides):
            yield tell("give the tensors, and what layers keep: {name} is not read here", name=name)


KINDS = {
    "nemotron-nas": Decoder(
        outer=OUTER,
        attention=_LAYER,
        layer="",
        words=("qkv_bias=attention_bias", "mlp_bias=mlp_bias"),
        dims={"head": "hidden/heads"},
        reach=_reach,
        parts=_parts,
        doubts=_doubts,
        required=(
            "vocab_size",
            "hidden_size",
            "num_attention_heads",
            "block_configs",
            "attention_bias",
            "mlp_bias",
            "tie_word_embeddings",
        ),
    ),
}

MEMBER = family(
    "nemotron_nas",
    "Nemotron by architecture search",
    "model code published with Llama-3_3-Nemotron-Super-49B-v1",
    KINDS,
)
