"""Formats of one value a byte, or four, with one scale a row or a module: EETQ and BitNet.

EETQ: int8 and one fp16 a row of outputs. BitNet: four ternary values a byte along the outputs, one 16-bit
scale a module.
"""

from __future__ import annotations

from fiche.estimators.quantisation._modules import (
    Linear,
    in_bytes,
    linear_of,
    listed,
    not_covered,
    settings,
    split,
    untouched,
)
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Packed, Quantisation
from fiche.kernel.figure import Node, ceil
from fiche.kernel.model import Model, Parameters
from fiche.kernel.workload import Workload


def _packed(model: Model, group: Parameters, workload: Workload) -> tuple[Packed, ...]:
    told = settings(model)
    kept = listed(told, "modules_to_not_convert")
    linear = linear_of(model, group, head=kept is not None and model.tied is not True)
    if linear is None or group.role == "expert":
        return untouched(group)
    return split(group, kept, *_bytes(linear, told))


def _bytes(linear: Linear, told: Config | None) -> tuple[Node, Node]:
    method = "" if told is None else told.text("quant_method")
    if method == "eetq":
        return in_bytes(linear.values * 8), in_bytes(linear.modules * linear.outputs * 16)
    if told is not None and told.text("linear_class") != "autobitlinear":
        packed = ceil(linear.outputs / 4) * linear.inputs
        return in_bytes(linear.modules * packed * 8), in_bytes(linear.modules * 16)
    doubt = not_covered("BitNet", "weights kept in 16 bits until they run")
    return doubt, doubt


def _conditions(model: Model, workload: Workload) -> tuple[Condition, ...]:
    return ()


MEMBER = Quantisation(
    name="rowwise",
    title="EETQ, BitNet",
    source="transformers 5.24 integrations/eetq.EetqLinear, bitnet.BitLinear",
    methods=("eetq", "bitnet"),
    packed=_packed,
    conditions=_conditions,
    dequantised=lambda model, workload: "",
)
