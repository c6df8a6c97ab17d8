"""GPTQ, as AutoGPTQ and GPTQModel pack it: int32 columns, packed zero points, 16-bit scales, group indices.

For a linear of `in` inputs: qweight in/32 x bits int32 a column, qzeros and scales one row a group of
inputs (group -1: one row), g_idx one int32 an input. Bits are 2, 3, 4 or 8. Router, embedding and head are
left out unless `lm_head` says otherwise.
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
from fiche.kernel.figure import Node, ceil, either, floor
from fiche.kernel.model import Model, Parameters
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload

_BITS = (2, 3, 4, 8)
_FORMATS = ("", "gptq", "gptq_v2")
_FIRST_WRITERS = tell("the first writers of 3-bit files kept scales in fp32, later ones in 16 bits")


def _packed(model: Model, group: Parameters, workload: Workload) -> tuple[Packed, ...]:
    told = settings(model)
    linear = linear_of(model, group, head=told is not None and told.flag("lm_head") is True)
    if linear is None or group.part in ("vision", "audio", "projector"):
        return untouched(group)
    if told is None:
        values: Node = unknown(
            "storage_format", tell("give the config.json of the GPTQ checkpoint")
        )
        return (Packed(copies=group.copies, values=values, beside=values),)
    kept = listed(told, "modules_to_not_convert")
    doubt = _doubt(told)
    values, beside = _bytes(linear, told) if doubt is None else (doubt, doubt)
    return split(group, kept, values, beside)


def _doubt(told: Config) -> Node | None:
    """A question where this file's settings lie outside of what is known here."""
    bits, form = told.whole("bits"), told.text("checkpoint_format", "format")
    if bits not in _BITS:
        return not_covered("GPTQ", tell("{bits} bits", bits=str(bits)))
    if form not in _FORMATS:
        return not_covered("GPTQ", tell("format {form}", form=form))
    if told.value("dynamic") or told.value("modules_in_block_to_quantize"):
        return not_covered("GPTQ", tell("rules that differ by module"))
    return None


def _bytes(linear: Linear, told: Config) -> tuple[Node, Node]:
    bits = told.number("bits", counts="bits")
    words = floor(linear.inputs / 32) * 32
    values = in_bytes(linear.modules * words * linear.outputs * bits)
    size = told.whole("group_size")
    by_group = size is not None and size > 0
    groups = ceil(linear.inputs / told.number("group_size")) if by_group else 1
    zeros = groups * linear.outputs * bits
    indices = linear.inputs * 32
    halves = in_bytes(linear.modules * (groups * linear.outputs * 16 + zeros + indices))
    if told.whole("bits") != 3 or told.text("checkpoint_format", "format"):
        return values, halves
    singles = in_bytes(linear.modules * (groups * linear.outputs * 32 + zeros + indices))
    return values, either(halves, singles, _FIRST_WRITERS)


def _conditions(model: Model, workload: Workload) -> tuple[Condition, ...]:
    text = tell(
        "confirm that the engine has a GPTQ kernel for this card, these bits and this group"
    )
    return (
        Condition(topic="compatibility", text=text, supplier=tell("operator"), piece_kind="run"),
    )


MEMBER = Quantisation(
    name="gptq",
    title="GPTQ",
    source="AutoGPTQ qlinear_cuda.QuantLinear (qweight, qzeros, scales, g_idx)",
    methods=("gptq",),
    packed=_packed,
    conditions=_conditions,
    dequantised=lambda model, workload: "",
)
