"""ResNet and RegNet: convolutions with norms over the batch, a shortcut around each layer.

What a norm over the batch remembers is saved, and no gradient reaches it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.families._rows import Place, fixed, rows
from fiche.families._stages import Staged, batch_norm, by_stage, item, numbers, staged
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor, larger
from fiche.kernel.model import Parameters
from fiche.kernel.said import tell


def _convolved(name: str, *shape: str) -> str:
    return f"{name}.convolution convolution {' '.join(shape)}\n{batch_norm(f'{name}.normalization', shape[0])}"


_SHORTCUT = _convolved("shortcut", "hidden", "before", "1", "1")

_BOTTLENECK = (
    _convolved("layer.*", "narrow", "before", "1", "1")
    + _convolved("layer.*", "narrow", "narrow", "3", "3")
    + _convolved("layer.*", "hidden", "narrow", "1", "1")
)

_BASIC = _convolved("layer.*", "hidden", "before", "3", "3") + _convolved(
    "layer.*", "hidden", "hidden", "3", "3"
)

_X = (
    _convolved("layer.*", "hidden", "before", "1", "1")
    + _convolved("layer.*", "hidden", "share", "3", "3")
    + _convolved("layer.*", "hidden", "hidden", "1", "1")
)

_SQUEEZE = """
layer.*.attention.* convolution+ squeezed hidden 1 1
layer.*.attention.* convolution+ hidden squeezed 1 1
"""


def _outer(kernel: str) -> str:
    return _convolved("embedder.embedder", "first", "colours", kernel, kernel)


def _widths(config: Config) -> list[int]:
    """The plain width before the stages, and of each stage: which layers have a shortcut of their own."""
    return [config.whole("embedding_size") or 0, *numbers(config, "hidden_sizes")]


def _before(config: Config, index: int) -> Node:
    return item(config, "hidden_sizes", index - 1) if index else config.number("embedding_size")


def _layers(config: Config, body: Place) -> Iterator[tuple[int, bool, Place]]:
    """The first layer of each stage, then the others, which take what the stage gives."""
    depths = numbers(config, "depths")
    for index, place in by_stage(config, body, "depths", "encoder.stages.*.layers.*."):
        hidden = item(config, "hidden_sizes", index)
        layers = place.layers or ()
        start = replace_layers(place, layers[:1], fixed(1))
        yield index, True, start.where(hidden=hidden, before=_before(config, index))
        if depths[index] > 1:
            rest = replace_layers(place, layers[1:], item(config, "depths", index) - 1)
            yield index, False, rest.where(hidden=hidden, before=hidden)


def replace_layers(place: Place, layers: tuple[int, ...], count: Node) -> Place:
    """The same place for some of its layers."""
    return place.over("", layers, count)


def _resnet(config: Config, body: Place) -> Iterable[Parameters]:
    widths = _widths(config)
    basic = config.text("layer_type") == "basic"
    early = bool(config.flag("downsample_in_first_stage"))
    for index, opens, place in _layers(config, body):
        halves = index > 0 or early
        if opens and (halves or widths[index] != widths[index + 1]):
            yield from rows(_SHORTCUT, place)
        known = place.where(narrow=floor(place.dims["hidden"] / 4))
        yield from rows(_BASIC if basic else _BOTTLENECK, known)


def _regnet(config: Config, body: Place) -> Iterable[Parameters]:
    widths = _widths(config)
    group = config.number("groups_width")
    for index, opens, place in _layers(config, body):
        hidden = place.dims["hidden"]
        if opens:
            # The first layer of each stage halves the sides.
            yield from rows(_SHORTCUT, place)
        share = floor(hidden / larger(1, floor(hidden / group)))
        known = place.where(share=share)
        yield from rows(_X, known)
        if config.text("layer_type") != "x":
            width = widths[index if opens else index + 1]
            yield from rows(_SQUEEZE, known.where(squeezed=_quarter(place.dims["before"], width)))


def _quarter(before: Node, width: int) -> Node:
    """A quarter of what comes in, to the nearest, to the even one where it is in the middle."""
    whole, rest = divmod(width, 4)
    up = rest == 3 or (rest == 2 and whole % 2 == 1)
    return floor(before / 4) + 1 if up else floor(before / 4)


def _dims(config: Config) -> dict[str, Node]:
    last = len(numbers(config, "hidden_sizes")) - 1
    return {
        "first": config.number("embedding_size"),
        "widest": item(config, "hidden_sizes", last),
        "colours": config.number("num_channels"),
    }


_HEADS = {"ForImageClassification": "classifier.* linear+ labels widest"}
_LISTS = ("depths", "hidden_sizes")


def _strange(config: Config) -> tuple[str, ...]:
    known = ("basic", "bottleneck") if config.model_type == "resnet" else ("x", "y")
    if config.text("layer_type") in known:
        return ()
    return (tell("say how a layer of type '{config}' is built", config=config.text("layer_type")),)


MEMBER = staged(
    "resnet",
    "ResNet and RegNet",
    "transformers 5.24 models/resnet and models/regnet",
    {
        "resnet": Staged(
            stages=_resnet,
            lists=_LISTS,
            outer=_outer("7"),
            base="resnet.",
            heads=_HEADS,
            dims=_dims,
            doubts=_strange,
        ),
        "regnet": Staged(
            stages=_regnet,
            lists=_LISTS,
            outer=_outer("3"),
            base="regnet.",
            heads=_HEADS,
            dims=_dims,
            doubts=_strange,
        ),
    },
)
