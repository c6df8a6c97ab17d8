"""bitsandbytes: LLM.int8() rows, and nf4 or fp4 blocks, on linear modules only.

int8: one byte a value and one fp32 a row of outputs (`SCB`). 4 bits: two values a byte, one fp32 absmax a block
of 64 (4.5 bits a value); with double quantisation one byte a block instead, and one fp32 for each 256 of
those with one fp32 offset (4.127 bits a value). A module also holds the 16 fp32 of its code, and 256 of
the second level. Tensors are flat: a last block that is not full counts as one.
"""

from __future__ import annotations

from fiche.estimators._formats import loaded_format
from fiche.estimators._reading import word
from fiche.estimators.quantisation._modules import (
    FUSED_IN_FILES,
    Linear,
    engine_is,
    fused,
    in_bytes,
    left_share,
    linear_of,
    listed,
    settings,
    split,
    unknown,
    untouched,
    yes_or_no,
)
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Packed, Quantisation
from fiche.kernel.figure import Figure, Node, ceil, either
from fiche.kernel.model import Model, Parameters
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload

BLOCK = 64
BLOCK_OF_SCALES = 256
_CODE_BITS = 16 * 32
_SECOND_CODE_BITS = 256 * 32
_FP32 = 32
_EXPERTS = tell(
    "transformers 5 holds the experts of a layer in one tensor, which bitsandbytes "
    "leaves in 16 bits; before that, and in other engines, they may be quantised"
)
_DOUBLE = tell("double quantisation (bnb_4bit_use_double_quant) is not told")


def _packed(model: Model, group: Parameters, workload: Workload) -> tuple[Packed, ...]:
    told = settings(model)
    kept = listed(told, "llm_int8_skip_modules")
    linear = linear_of(model, group, head=kept is not None and model.tied is not True)
    if linear is None:
        return untouched(group)
    values, beside = _bytes(model, linear, workload, told)
    if fused(model, group):
        return _experts(model, group, workload, values, beside)
    return split(group, kept, values, beside)


def _bytes(
    model: Model, linear: Linear, workload: Workload, told: Config | None
) -> tuple[Node, Node]:
    if _eight_bits(told, workload):
        return in_bytes(linear.values * 8), in_bytes(linear.modules * linear.outputs * _FP32)
    if told is not None and told.listed("bnb_4bit_quant_storage") is not None:
        return unknown("storage_format", tell("give the tensors")), in_bytes(linear.modules * 0)
    values = in_bytes(linear.modules * ceil(linear.outputs * linear.inputs / 2) * 8)
    double = yes_or_no(workload, model, "bnb_4bit_use_double_quant")
    if told is not None and double is None:
        double = False
    if double is None:
        return values, either(_scales(linear, True), _scales(linear, False), _DOUBLE)
    return values, _scales(linear, double)


def _scales(linear: Linear, double: bool) -> Figure:
    blocks = ceil(linear.outputs * linear.inputs / BLOCK)
    if not double:
        return in_bytes(linear.modules * (blocks * _FP32 + _CODE_BITS))
    second = ceil(blocks / BLOCK_OF_SCALES) * _FP32
    return in_bytes(
        linear.modules * (blocks * 8 + second + (_CODE_BITS + _SECOND_CODE_BITS + _FP32))
    )


def _eight_bits(told: Config | None, workload: Workload) -> bool:
    if told is not None:
        return told.flag("load_in_8bit", "_load_in_8bit") is True
    return loaded_format(workload) == "int8"


def _experts(
    model: Model, group: Parameters, workload: Workload, values: Node, beside: Node
) -> tuple[Packed, ...]:
    kept = listed(settings(model), "llm_int8_skip_modules")
    if kept is not None and not kept.refused and left_share(group, kept) == 1:
        return untouched(group)
    fused_before = model.model_type in FUSED_IN_FILES
    if engine_is(workload, "transformers", "peft", "trl") and (
        fused_before or word(workload, "engine.version").split(".")[0] not in ("", "2", "3", "4")
    ):
        return untouched(group)
    packed = Packed(copies=group.copies, values=values, beside=beside)
    if engine_is(workload, "transformers", "peft", "trl") and word(workload, "engine.version"):
        return (packed,)
    return (replace(packed, or_kept=_EXPERTS),)


def _conditions(model: Model, workload: Workload) -> tuple[Condition, ...]:
    on_the_fly = settings(model) is None
    found = []
    if on_the_fly:
        text = tell(
            "confirm the peak of the load: on the fly, bitsandbytes first puts 16-bit shards on "
            "the device"
        )
        found.append(
            Condition(topic="loading", text=text, supplier=tell("operator"), piece_kind="run")
        )
    if any(fused(model, group) for group in model.parameters):
        asked = tell("state engine.name and engine.version: {why}", why=_EXPERTS)
        found.append(
            Condition(
                topic="storage_format",
                text=asked,
                supplier=tell("author of the fiche"),
                piece_kind="fiche",
            )
        )
    return tuple(found)


MEMBER = Quantisation(
    name="bitsandbytes",
    title="bitsandbytes",
    source="bitsandbytes functional.quantize_4bit, Int8Params; transformers 5.24 integrations/bitsandbytes",
    methods=("bitsandbytes", "bitsandbytes_4bit", "bitsandbytes_8bit", "nf4", "fp4", "int8"),
    packed=_packed,
    conditions=_conditions,
    dequantised=lambda model, workload: "",
)
