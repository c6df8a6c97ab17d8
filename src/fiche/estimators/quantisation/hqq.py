"""HQQ: packed values beside a 16-bit scale and zero point for each group of values.

8, 4, 2 or 1 bits pack into bytes; 3 bits pack ten to an int32 and are not covered. Scales and zero points that
are quantised themselves are not covered.
"""

from __future__ import annotations

from fiche.estimators.quantisation._modules import (
    Linear,
    fused,
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
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload


def _packed(model: Model, group: Parameters, workload: Workload) -> tuple[Packed, ...]:
    told = settings(model)
    linear = linear_of(model, group)
    if linear is None or fused(model, group):
        return untouched(group)
    return split(group, listed(told, "skip_modules"), *_bytes(linear, told))


def _bytes(linear: Linear, told: Config | None) -> tuple[Node, Node]:
    outer = None if told is None else told.part("quant_config")
    weights = None if outer is None else outer.part("weight_quant_params")
    bits = None if weights is None else weights.whole("nbits")
    nested = outer is not None and (
        outer.value("scale_quant_params") is not None
        or outer.value("zero_quant_params") is not None
    )
    if weights is None or bits not in (1, 2, 4, 8) or nested or not weights.whole("group_size"):
        doubt = not_covered(
            "HQQ", tell("{bits} bits", bits=bits) if bits else tell("settings by module, or untold")
        )
        return doubt, doubt
    groups = ceil(linear.outputs * linear.inputs / weights.number("group_size"))
    values = in_bytes(linear.modules * ceil(linear.outputs * linear.inputs * bits / 8) * 8)
    return values, in_bytes(linear.modules * groups * (2 * 16))


def _conditions(model: Model, workload: Workload) -> tuple[Condition, ...]:
    return ()


MEMBER = Quantisation(
    name="hqq",
    title="HQQ",
    source="hqq core/quantize.Quantizer (W_q, scale, zero)",
    methods=("hqq",),
    packed=_packed,
    conditions=_conditions,
    dequantised=lambda model, workload: "",
)
