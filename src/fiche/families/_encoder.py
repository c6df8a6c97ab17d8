"""Encoders out of tables: what differs between model types is data.

An encoder keeps nothing between calls, so it has no cache. The class that the configuration names decides
which heads there are, and under which prefix the body stands; a class that is not known here leaves the
model open, with the body as the least that is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.families._reads import (
    architecture_of,
    asked,
    counted,
    needing,
    storage_of,
    stored_only,
)
from fiche.families._rows import Place, fixed, rows
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Figure, Node, floor
from fiche.kernel.model import Block, Model, Parameters
from fiche.kernel.origin import Stated
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.unit import ONE

Heads = Mapping[str, str]


@record(eq=False)
class Encoder:
    """What is particular to one model type.

    `dims` names the key of each dimension, or works it out. `outer` lists tensors of the body outside its
    layers, `layer` those of a layer under `layers`, `later` further ones of all layers but the first, and
    `besides` builds what no table says. `base` is where the body stands below a head. `heads` are tables by
    the end of the class's name (`ForMaskedLM`), whose rows stand beside the body. `pooled` are the classes
    whose body has a pooler, which the word `pooler` in the tables asks for. `words` and `more` give words.
    `stored` are tensors that only older checkpoints hold. `shared` are keys whose product counts the sets of
    weights, where layers share them. `doubts` are texts of what is not understood.
    """

    outer: str
    layer: str
    layers: str
    base: str
    heads: Heads
    dims: Mapping[str, str | Callable[[Config], Node]] = {}
    pooled: tuple[str, ...] = ("Model",)
    words: Mapping[str, str] = {}
    more: Callable[[Config], tuple[str, ...]] | None = None
    stored: str = ""
    later: str = ""
    shared: tuple[str, ...] = ()
    depth: str = "num_hidden_layers"
    part: str = "encoder"
    gated: bool = False
    doubts: Callable[[Config], tuple[str, ...]] | None = None
    besides: Callable[[Config, Place], tuple[Parameters, ...]] | None = None


_USUAL: Mapping[str, str] = {
    "hidden": "hidden_size",
    "vocabulary": "vocab_size",
    "ffn": "intermediate_size",
    "heads": "num_attention_heads",
    "positions": "max_position_embeddings",
    "types": "type_vocab_size",
}


def labels_of(config: Config, otherwise: int = 2) -> Node:
    """How many classes a head tells apart; `otherwise` where the configuration names none."""
    named = config.value("id2label")
    if isinstance(named, dict):
        return counted(config, "id2label", len(named))
    if config.whole("num_labels", "num_classes") is not None:
        return config.number("num_labels", "num_classes")
    because = tell("classes of a head whose configuration names none (transformers)")
    return Figure(
        low=otherwise, high=otherwise, unit=ONE, origin=Stated(span=None, because=because)
    )


def encoders(name: str, title: str, source: str, kinds: Mapping[str, Encoder]) -> Family:
    """The family of these model types."""
    return Family(
        name=name,
        title=title,
        source=source,
        model_types=tuple(kinds),
        build=lambda config, inner: _model(name, config, kinds[config.model_type]),
    )


def _model(name: str, config: Config, kind: Encoder) -> Model:
    return needing(name, kind.depth)(lambda told, _: encoder_model(name, told, kind))(config, _none)


def _none(config: Config) -> Model:
    raise AssertionError("an encoder has no parts")


def encoder_model(name: str, config: Config, kind: Encoder) -> Model:
    """The model of a configuration whose number of layers is told."""
    head, doubt = head_class(config, kind.heads)
    place = _place(config, kind, head)
    body = place if head == "Model" else place.at(kind.base)
    depth = range(config.whole(kind.depth) or 0)
    layer = body.over(kind.layers, depth, config.number(kind.depth))
    doubts = kind.doubts(config) if kind.doubts else ()
    tied = config.flag("tie_word_embeddings")
    return Model(
        family=name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(kind.outer, body),
            *rows(kind.layer, _own(config, kind, layer)),
            *rows(kind.later, _later(config, kind, body)),
            *(kind.besides(config, body) if kind.besides else ()),
            *rows(kind.heads.get(head, ""), place),
            *stored_only(rows(kind.stored, body)),
        ),
        blocks=(_block(layer, kind.gated),),
        tied=True if tied is None else tied,
        hidden=place.dims["hidden"],
        vocabulary=place.dims.get("vocabulary"),
        positions=place.dims.get("positions"),
        storage=storage_of(config),
        config=config,
        open=(*doubt, *map(asked, doubts)),
    )


def _own(config: Config, kind: Encoder, layer: Place) -> Place:
    """Where the weights of the layers stand: as many as the layers, or fewer that they share."""
    if not kind.shared:
        return layer
    count: Node = config.number(kind.shared[0])
    for name in kind.shared[1:]:
        count = count * config.number(name)
    return layer.over("", layer.layers or (), count)


def _later(config: Config, kind: Encoder, body: Place) -> Place:
    depth = config.whole(kind.depth) or 0
    return body.over(kind.layers, range(1, depth), counted(config, kind.depth, max(depth - 1, 0)))


def head_class(config: Config, heads: Heads) -> tuple[str, tuple[Condition, ...]]:
    """The end of the class's name that says which head there is, and what is not understood of it.

    A part of another model is the body alone.
    """
    named = architecture_of(config)
    known = [end for end in ("Model", *heads) if named.endswith(end)]
    if known:
        return max(known, key=len), ()
    if config.place and not named:
        return "Model", ()
    text = (
        tell("class {named} is not known here: give its tensors", named=named)
        if named
        else tell(
            "give architectures in the configuration: the class that is loaded decides its heads"
        )
    )
    return "Model", (asked(text),)


def _place(config: Config, kind: Encoder, head: str) -> Place:
    dims: dict[str, Node] = {}
    for name, source in {**_USUAL, **kind.dims}.items():
        if callable(source):
            dims[name] = source(config)
        elif source:
            dims[name] = config.number(source)
    dims.setdefault("head", floor(dims["hidden"] / dims["heads"]))
    words = [word for word, key in kind.words.items() if config.flag(key)]
    words += list(kind.more(config)) if kind.more else []
    words += ["pooler"] if head in kind.pooled else []
    words += ["untied"] if config.flag("tie_word_embeddings") is False else []
    found = Place(dims={**dims, "labels": labels_of(config)}, part=kind.part)
    return found.where(*words)


def _block(layer: Place, gated: bool) -> Block:
    dims = layer.dims
    query = dims.get("query", dims["hidden"])
    return Block(
        layers=layer.layers or (),
        count=layer.count,
        hidden=dims["hidden"],
        kind="encoder",
        heads=dims["heads"],
        query=query,
        key=dims.get("kv", query),
        value=dims.get("kv", query),
        inner=dims.get("ffn"),
        gated=gated,
    )


def named_or(name: str, otherwise: str) -> Callable[[Config], Node]:
    """The number under one key, that under another where it is null or absent."""
    return lambda config: config.number(otherwise if config.value(name) is None else name)


__all__ = ["Encoder", "encoder_model", "encoders", "fixed", "head_class", "labels_of", "named_or"]
