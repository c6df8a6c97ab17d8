"""AWQ, as AutoAWQ packs it for matrix products: eight values an int32, packed zero points, 16-bit scales.

Group of 128 inputs: 4 + 16/128 + 4/128 = 4.15625 bits a value. Embedding, head and routers stay in 16 bits.
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

_FORMATS = ("gemm", "marlin")


def _packed(model: Model, group: Parameters, workload: Workload) -> tuple[Packed, ...]:
    told = settings(model)
    linear = linear_of(model, group)
    if linear is None or group.part in ("vision", "audio", "projector"):
        return untouched(group)
    kept = listed(told, "modules_to_not_convert")
    if told is None:
        asked = unknown("storage_format", tell("give the config.json of the AWQ checkpoint"))
        return split(group, kept, asked, asked)
    doubt = _doubt(told)
    values, beside = _bytes(linear, told) if doubt is None else (doubt, doubt)
    return split(group, kept, values, beside)


def _doubt(told: Config) -> Node | None:
    bits = told.whole("bits", "w_bit") if told.value("bits", "w_bit") is not None else 4
    form = (told.text("version", "format") or "gemm").lower()
    if bits != 4:
        return not_covered("AWQ", tell("{bits} bits", bits=str(bits)))
    if form not in _FORMATS:
        return not_covered("AWQ", tell("version {form}", form=form))
    return None


def _bytes(linear: Linear, told: Config) -> tuple[Node, Node]:
    values = in_bytes(linear.values * 4)
    size = told.whole("group_size", "q_group_size")
    if size is None:
        groups: Node | int = ceil(linear.inputs / 128)
    elif size > 0:
        groups = ceil(linear.inputs / told.number("group_size", "q_group_size"))
    else:
        groups = 1
    zeros = 4 if told.flag("zero_point") is not False else 0
    return values, in_bytes(linear.modules * groups * linear.outputs * (16 + zeros))


def _conditions(model: Model, workload: Workload) -> tuple[Condition, ...]:
    text = tell("confirm that the engine has an AWQ kernel for this card; it computes in fp16")
    return (
        Condition(topic="compatibility", text=text, supplier=tell("operator"), piece_kind="run"),
    )


MEMBER = Quantisation(
    name="awq",
    title="AWQ",
    source="AutoAWQ modules/linear/gemm.WQLinear_GEMM (qweight, qzeros, scales)",
    methods=("awq",),
    packed=_packed,
    conditions=_conditions,
    dequantised=lambda model, workload: "",
)
