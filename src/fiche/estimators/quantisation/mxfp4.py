"""MXFP4 of gpt-oss: experts only, 32 values in 16 bytes beside one byte of exponent (4.25 bits a value).

Blocks run along the inputs; a last block that is not full counts as one. Biases, router, attention, embedding
and head stay in 16 bits.
"""

from __future__ import annotations

from fiche.estimators._reading import word
from fiche.estimators.quantisation._modules import (
    engine_is,
    in_bytes,
    linear_of,
    listed,
    settings,
    split,
    untouched,
    yes_or_no,
)
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Packed, Quantisation
from fiche.kernel.figure import ceil
from fiche.kernel.model import Model, Parameters
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload

BLOCK = 32
_FALLBACK = tell(
    "transformers loads MXFP4 as bf16 without Triton 3.4, the `kernels` package and "
    "compute capability 7.5 (a warning only): state engine.settings.mxfp4_kernels"
)


def _packed(model: Model, group: Parameters, workload: Workload) -> tuple[Packed, ...]:
    linear = linear_of(model, group)
    if linear is None or group.role != "expert":
        return untouched(group)
    blocks = linear.modules * linear.outputs * ceil(linear.inputs / BLOCK)
    values = in_bytes(blocks * (BLOCK * 4))
    return split(
        group, listed(settings(model), "modules_to_not_convert"), values, in_bytes(blocks * 8)
    )


def _dequantised(model: Model, workload: Workload) -> str:
    told = yes_or_no(workload, model, "mxfp4_kernels")
    other = word(workload, "engine.name") and not engine_is(workload, "transformers", "peft", "trl")
    return "" if told is True or other else _FALLBACK


def _conditions(model: Model, workload: Workload) -> tuple[Condition, ...]:
    if not _dequantised(model, workload):
        return ()
    text = tell(
        "confirm that MXFP4 is kept: Triton 3.4 or later, the `kernels` package, compute "
        "capability 7.5"
    )
    return (
        Condition(topic="compatibility", text=text, supplier=tell("operator"), piece_kind="run"),
    )


MEMBER = Quantisation(
    name="mxfp4",
    title="MXFP4",
    source="transformers 5.24 integrations/mxfp4.Mxfp4GptOssExperts, quantizer_mxfp4",
    methods=("mxfp4",),
    packed=_packed,
    conditions=_conditions,
    dequantised=_dequantised,
)
