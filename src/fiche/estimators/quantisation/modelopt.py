"""NVIDIA ModelOpt: NVFP4 with two levels of scales, and FP8 with one fp32 a module.

NVFP4: two values a byte, one FP8 scale for 16 inputs, and two fp32 a module (the second level and the inputs'
scale): 4.5 bits a value. FP8: one byte a value, two fp32 a module.
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
    unknown,
    untouched,
)
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Packed, Quantisation
from fiche.kernel.figure import Node, ceil
from fiche.kernel.model import Model, Parameters
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload

_GROUP = 16
_SCALARS = 2 * 32


def _packed(model: Model, group: Parameters, workload: Workload) -> tuple[Packed, ...]:
    told = settings(model)
    told = None if told is None else told.part("quantization") or told
    kept = listed(told, "ignore", "exclude_modules", shell=True)
    linear = linear_of(model, group, head=kept is not None and model.tied is not True)
    if linear is None:
        return untouched(group)
    values, beside = _bytes(linear, told)
    return split(group, kept, values, beside)


def _bytes(linear: Linear, told: Config | None) -> tuple[Node, Node]:
    algorithm = "NVFP4" if told is None else told.text("quant_algo").upper()
    if told is None:
        doubt: Node = unknown(
            "storage_format", tell("give the config.json of the NVFP4 checkpoint")
        )
        return doubt, doubt
    if algorithm == "FP8":
        return in_bytes(linear.values * 8), in_bytes(linear.modules * _SCALARS)
    size = _group_size(told)
    if algorithm != "NVFP4" or size != _GROUP:
        doubt = not_covered(
            "ModelOpt",
            tell(
                "{algorithm}, groups of {size}", algorithm=algorithm or "no quant_algo", size=size
            ),
        )
        return doubt, doubt
    values = in_bytes(linear.modules * linear.outputs * ceil(linear.inputs / 2) * 8)
    scales = linear.outputs * ceil(linear.inputs / _GROUP) * 8
    return values, in_bytes(linear.modules * (scales + _SCALARS))


def _group_size(told: Config) -> int:
    said = told.whole("group_size")
    groups = told.part("config_groups")
    first = None if groups is None else groups.part("group_0")
    weights = None if first is None else first.part("weights")
    own = None if weights is None else weights.whole("group_size")
    return said or own or _GROUP


def _conditions(model: Model, workload: Workload) -> tuple[Condition, ...]:
    text = tell("confirm that the engine runs NVFP4 on this card; others unpack or emulate it")
    return (
        Condition(topic="compatibility", text=text, supplier=tell("operator"), piece_kind="run"),
    )


MEMBER = Quantisation(
    name="modelopt",
    title="ModelOpt",
    source="TensorRT Model Optimizer checkpoints: weight, weight_scale, weight_scale_2, input_scale",
    methods=("modelopt", "modelopt_fp4", "nvfp4"),
    packed=_packed,
    conditions=_conditions,
    dequantised=lambda model, workload: "",
)
