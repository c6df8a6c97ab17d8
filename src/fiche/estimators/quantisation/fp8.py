"""FP8 with fp32 scales: one a block of outputs x inputs (128 x 128), or one a tensor; and its close kin.

`weight_block_size` null: one fp32 scale a module. `activation_scheme` static adds one fp32 a module.
`scale_fmt` ue8m0 keeps each scale in one byte. FBGEMM: one fp32 a row of outputs. MXFP8: one byte for 32
inputs. Edges that do not fill a block have a scale too.
"""

from __future__ import annotations

from fiche.estimators._reading import word
from fiche.estimators.quantisation._modules import (
    Linear,
    engine_is,
    in_bytes,
    linear_of,
    listed,
    not_covered,
    settings,
    split,
    untouched,
    yes_or_no,
)
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Packed, Quantisation
from fiche.kernel.figure import Node, Operand, ceil, either
from fiche.kernel.model import Model, Parameters
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload

_UNTOLD = tell(
    "config.json does not say how scales are laid out: one a tensor, or one a row of outputs"
)
_NO_KERNEL = tell(
    "transformers loads FP8 as bf16 on a card below compute capability 8.9 (a warning "
    "only): state engine.settings.fp8_kernels"
)


def _packed(model: Model, group: Parameters, workload: Workload) -> tuple[Packed, ...]:
    told = settings(model)
    kept = listed(told, "modules_to_not_convert", "ignored_layers")
    linear = linear_of(model, group, head=kept is not None and model.tied is not True)
    if linear is None:
        return untouched(group)
    values = in_bytes(linear.values * 8)
    return split(group, kept, *_with_scales(values, linear, told))


def _with_scales(values: Node, linear: Linear, told: Config | None) -> tuple[Node, Node]:
    if told is None:
        tensor, row = in_bytes(linear.modules * 32), in_bytes(linear.modules * linear.outputs * 32)
        return values, either(tensor, row, _UNTOLD)
    if told.text("expert_dtype") == "fp4":
        doubt = not_covered("FP8", tell("experts in fp4"))
        return doubt, doubt
    scales = _scales(linear, told) * (8 if _one_byte(told) else 32)
    active = 32 if told.text("activation_scheme") == "static" else 0
    return values, in_bytes(linear.modules * (scales + active))


def _one_byte(told: Config) -> bool:
    return told.text("scale_fmt") == "ue8m0" or told.text("quant_method") == "mxfp8"


def _scales(linear: Linear, told: Config) -> Operand:
    method, block = told.text("quant_method"), told.listed("weight_block_size")
    if method == "fbgemm_fp8":
        return linear.outputs
    if method == "mxfp8" and block is None:
        block = [1, 32]
    match block:
        case [int(rows), int(columns)] if rows > 0 and columns > 0:
            return ceil(linear.outputs / rows) * ceil(linear.inputs / columns)
        case _:
            return 1


def _dequantised(model: Model, workload: Workload) -> str:
    """The library falls back to bf16 without a word but a warning; others refuse or keep 8 bits."""
    told = yes_or_no(workload, model, "fp8_kernels")
    other = word(workload, "engine.name") and not engine_is(workload, "transformers", "peft", "trl")
    return "" if told is True or other else _NO_KERNEL


def _conditions(model: Model, workload: Workload) -> tuple[Condition, ...]:
    if not _dequantised(model, workload):
        return ()
    text = tell(
        "confirm native FP8 (compute capability 8.9 or later), or count the weights in bf16"
    )
    return (
        Condition(topic="compatibility", text=text, supplier=tell("operator"), piece_kind="run"),
    )


MEMBER = Quantisation(
    name="fp8",
    title="FP8",
    source="transformers 5.24 integrations/finegrained_fp8.FP8Linear, FP8Experts, fbgemm_fp8",
    methods=("fp8", "fp8_e4m3", "fp8_e5m2", "fbgemm_fp8", "mxfp8"),
    packed=_packed,
    conditions=_conditions,
    dequantised=_dequantised,
)
