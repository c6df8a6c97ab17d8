"""The workspace that PyTorch gives cuBLAS: taken from its allocator at the first product, and kept.

The handle, and with it the workspace, is of a thread: the forward pass and the backward pass, which the
autograd engine runs in a thread of its own, have one each, on each stream. cuBLASLt uses the same one.
"""

from __future__ import annotations

import os
import re
from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._gpu import Gpu
from fiche.simulate.effects._grouped import is_one_kernel
from fiche.simulate.effects._row import Around, Effect, in_backward

_KIB = 1024
_USUAL = (4096 * 2 + 16 * 8) * _KIB
_LARGE = 4096 * 8 * _KIB


def workspace_bytes(gpu: Gpu, told: str | None = None) -> int:
    """Bytes of one: what CUBLAS_WORKSPACE_CONFIG says, else 32 MiB from capability 9 on, else 8.125 MiB."""
    blocks = re.findall(r":([0-9]+):([0-9]+)", told or "")
    if blocks:
        return sum(int(kib) * _KIB * int(count) for kib, count in blocks)
    return _LARGE if gpu.capability[0] in (9, 10, 12) else _USUAL


def _apply(around: Around) -> Any:
    made = around.run()
    if "grouped" in around.func.__name__ and is_one_kernel(around.gpu.capability, *around.args[:2]):
        return made
    if all(each.numel() for each in around.args if hasattr(each, "numel")):
        num_bytes = workspace_bytes(around.gpu, os.environ.get("CUBLAS_WORKSPACE_CONFIG"))
        around.keep("backward" if in_backward() else "forward", num_bytes)
    return made


MEMBER = Effect(
    name="cublas_workspace",
    says=tell(
        "the first matrix product of the forward pass, and the first of the backward pass, take a "
        "cuBLAS workspace that is kept (32 MiB at compute capability 9, 10 and 12, else 8.125 MiB)"
    ),
    source=tell(
        "PyTorch aten/src/ATen/cuda/CublasHandlePool.cpp: parseChosenWorkspaceSize, "
        "setWorkspaceForHandle, as 2.13's include/ATen/cuda/CUDAContextLight.h declares them"
    ),
    operators=(
        "aten.mm.default",
        "aten.mm.out",
        "aten.addmm.default",
        "aten.addmm.out",
        "aten.addmm_.default",
        "aten._addmm_activation.default",
        "aten.bmm.default",
        "aten.bmm.out",
        "aten.baddbmm.default",
        "aten.baddbmm.out",
        "aten.baddbmm_.default",
        "aten.mv.default",
        "aten.addmv.default",
        "aten.dot.default",
        "aten.vdot.default",
        "aten._grouped_mm.default",
        "aten._int_mm.default",
        "aten._scaled_mm.default",
        "aten._scaled_mm.out",
    ),
    apply=_apply,
)
