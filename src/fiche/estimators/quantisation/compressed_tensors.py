"""compressed-tensors: schemes by target, each with its own packing, and a list of what is left alone.

pack-quantized: int32 words of 32 // bits values along the inputs, padded; a scale a group, row or module, in
the 16 bits of the model; packed zero points where asymmetric; the shape as two int64; group indices as int32
with `actorder: group`. float-, int- and naive-quantized: one byte a value beside such scales.
nvfp4-pack-quantized: 16 values beside an FP8 scale, two fp32 a module; mxfp4: 32 beside one byte.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import NamedTuple

from fiche.estimators.quantisation._modules import (
    Linear,
    in_bytes,
    linear_of,
    named_layers,
    not_covered,
    settings,
    unknown,
    untouched,
)
from fiche.estimators.quantisation._patterns import Patterns, patterns
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Packed, Quantisation
from fiche.kernel.figure import Node, ceil
from fiche.kernel.model import Model, Parameters
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload

_SCALE_BITS = 16
_SHAPE_BITS = 2 * 64
_BYTES = ("float-quantized", "int-quantized", "naive-quantized")
_CLASSES = ("Linear",)


def _packed(model: Model, group: Parameters, workload: Workload) -> tuple[Packed, ...]:
    told = settings(model)
    linear = linear_of(model, group, head=model.tied is not True)
    if linear is None:
        return untouched(group)
    schemes = _schemes(told)
    if told is None or not schemes:
        doubt = unknown(
            "storage_format", tell("give the config.json of the compressed-tensors checkpoint")
        )
        return (Packed(copies=group.copies, values=doubt, beside=doubt),)
    ignored = patterns(told.listed("ignore") or ())
    targets = tuple(patterns(_names(scheme)) for scheme in schemes)
    refused = any(each.refused for each in (ignored, *targets))
    return tuple(
        Packed(copies=group.copies * share)
        if index is None
        else _one(group.copies * share, linear, schemes[index], told, refused)
        for index, share in _shares(group, schemes, ignored, targets).items()
    )


def _shares(
    group: Parameters,
    schemes: tuple[Config, ...],
    ignored: Patterns,
    targets: tuple[Patterns, ...],
) -> dict[int | None, Fraction]:
    """The part of a group's layers under each scheme: targets that are names come before classes."""
    left = named_layers(group, ignored)
    by_name = [named_layers(group, each) for each in targets]
    by_class = next((i for i, scheme in enumerate(schemes) if _by_class(scheme)), None)
    layers = group.layers or (0,)
    counts: Counter[int | None] = Counter()
    for layer in layers:
        named = (i for i, where in enumerate(by_name) if layer in where)
        counts[None if layer in left else next(named, by_class)] += 1
    return {index: Fraction(count, len(layers)) for index, count in counts.items()}


def _schemes(told: Config | None) -> tuple[Config, ...]:
    groups = None if told is None else told.part("config_groups")
    if groups is None:
        return ()
    found = [groups.part(name) for name in sorted(groups.values)]
    return tuple(each for each in found if each is not None)


def _names(scheme: Config) -> tuple[object, ...]:
    return tuple(each for each in scheme.listed("targets") or () if each not in _CLASSES)


def _by_class(scheme: Config) -> bool:
    return any(each in _CLASSES for each in scheme.listed("targets") or ())


def _one(copies: Node, linear: Linear, scheme: Config, told: Config, refused: bool) -> Packed:
    form = scheme.text("format") or told.text("format")
    values, beside = _bytes(linear, scheme, form)
    if refused:
        values = not_covered("compressed-tensors", tell("a pattern that is not read here"))
    return Packed(copies=copies, values=values, beside=beside)


def _bytes(linear: Linear, scheme: Config, form: str) -> tuple[Node, Node]:
    weights, active = scheme.part("weights"), scheme.part("input_activations")
    if weights is None:
        return _doubt(tell("a scheme without weights"))
    if form == "pack-quantized":
        return _words(linear, weights, scheme)
    if form in _BYTES and weights.whole("num_bits") == 8:
        static = active is not None and active.flag("dynamic") is False
        return in_bytes(linear.values * 8), _beside_bytes(linear, weights, static)
    if form == "nvfp4-pack-quantized":
        scales = linear.outputs * ceil(linear.inputs / 16) * 8
        return _fours(linear), in_bytes(linear.modules * (scales + (32 if active is None else 64)))
    if form == "mxfp4-pack-quantized":
        scales = linear.outputs * ceil(linear.inputs / 32) * 8
        return _fours(linear), in_bytes(linear.modules * scales)
    return _doubt(tell("format '{form}'", form=form))


def _words(linear: Linear, weights: Config, scheme: Config) -> tuple[Node, Node]:
    bits = weights.whole("num_bits")
    if bits is None or not 1 <= bits <= 8:
        return _doubt(tell("{bits} bits", bits=str(bits)))
    in_word = 32 // bits
    values = in_bytes(linear.modules * linear.outputs * ceil(linear.inputs / in_word) * 32)
    groups = _groups(linear, weights)
    if groups is None:
        return _doubt(tell("strategy '{weights}'", weights=weights.text("strategy")))
    beside = groups.scales * _SCALE_BITS + _SHAPE_BITS
    if weights.flag("symmetric") is False:
        beside = beside + ceil(linear.outputs / in_word) * groups.a_row * 32
    if weights.value("actorder") in ("group", True):
        beside = beside + linear.inputs * 32
    return values, in_bytes(linear.modules * beside)


def _beside_bytes(linear: Linear, weights: Config, static: bool) -> Node:
    groups = _groups(linear, weights)
    if groups is None:
        return not_covered(
            "compressed-tensors", tell("strategy '{weights}'", weights=weights.text("strategy"))
        )
    beside = groups.scales * _SCALE_BITS
    if weights.flag("symmetric") is False:
        beside = beside + groups.scales * 8
    return in_bytes(linear.modules * (beside + (_SCALE_BITS if static else 0)))


class _Groups(NamedTuple):
    """Scales of one module, and how many of them stand in one row of outputs."""

    scales: Node
    a_row: Node | int


def _groups(linear: Linear, weights: Config) -> _Groups | None:
    rows = linear.outputs
    match weights.text("strategy"), weights.listed("block_structure"):
        case ("channel", _):
            return _Groups(rows * 1, 1)
        case ("tensor", _):
            return _Groups(ceil(rows / rows), 1)
        case ("group", _) if (weights.whole("group_size") or 0) > 0:
            a_row = ceil(linear.inputs / weights.number("group_size"))
            return _Groups(rows * a_row, a_row)
        case ("block", [int(high), int(wide)]) if high > 0 and wide > 0:
            a_row = ceil(linear.inputs / wide)
            return _Groups(ceil(rows / high) * a_row, a_row)
        case _:
            return None


def _fours(linear: Linear) -> Node:
    return in_bytes(linear.modules * linear.outputs * ceil(linear.inputs / 2) * 8)


def _doubt(what: str) -> tuple[Node, Node]:
    doubt = not_covered("compressed-tensors", what)
    return doubt, doubt


def _conditions(model: Model, workload: Workload) -> tuple[Condition, ...]:
    text = tell(
        "confirm that the engine has kernels for this compressed-tensors format on this card"
    )
    return (
        Condition(topic="compatibility", text=text, supplier=tell("operator"), piece_kind="run"),
    )


MEMBER = Quantisation(
    name="compressed_tensors",
    title="compressed-tensors",
    source="compressed-tensors quantized_compressors (pack, naive, fp4); its schemes in config.json",
    methods=("compressed-tensors", "compressed_tensors"),
    packed=_packed,
    conditions=_conditions,
    dequantised=lambda model, workload: "",
)
