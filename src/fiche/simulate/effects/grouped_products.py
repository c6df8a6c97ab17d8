"""The products of a mixture of experts: fp32 and fp16 too, and results whose rows are padded."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._grouped import (
    groups_of,
    is_one_kernel,
    shape_of,
    strides_of,
    table_bytes,
)
from fiche.simulate.effects._row import Around, Effect


def _apply(around: Around) -> Any:
    import torch

    first, second = around.args[:2]
    if around.device() is None:
        return around.run()
    ends = around.argument(2, "offs")
    shape = shape_of(first, second, ends)
    made = around.run_other(
        torch.ops.aten.empty_strided.default,
        shape,
        strides_of(shape, first.element_size()),
        dtype=first.dtype,
        device=first.fake_device,
    )
    told = 0
    if is_one_kernel(around.gpu.capability, first, second):
        told = table_bytes(groups_of(first, second, ends))
    with around.workspace(told):
        return made


MEMBER = Effect(
    name="grouped_products",
    says=tell(
        "grouped products take fp32 and fp16 too; rows of their results begin at multiples of 16 "
        "bytes; on Hopper and Blackwell the one kernel is told its pointers, strides and shapes, and its "
        "own workspace (CUTLASS, some descriptors for each multiprocessor) is left out"
    ),
    source="PyTorch aten/src/ATen/native/GroupedMMUtils.h: create_grouped_gemm_output_tensor; "
    "cuda/GroupedBlas.cpp: _grouped_mm_cuda; cuda/GroupMM.cu: input_args_size",
    operators=("aten._grouped_mm.default",),
    apply=_apply,
    stands_in=True,
)
