"""Norms of many tensors at once, as gradient clipping asks for: a partial result for each chunk of each."""

from __future__ import annotations

import math
from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Around, Effect, ceiling

_CHUNK = 65536
_FLOAT = 4


def partial_bytes(lengths: list[int], width: int) -> int:
    """Bytes of the partial results: as many for each tensor as the longest needs; `width` of an element."""
    chunks = max((ceiling(each, _CHUNK) for each in lengths), default=0)
    return len(lengths) * chunks * max(width, _FLOAT)


def _apply(around: Around) -> Any:
    tensors = around.args[0]
    if not _together(tensors, around.argument(1, "ord", 2)):
        return around.run()
    with around.workspace(
        partial_bytes([each.numel() for each in tensors], tensors[0].element_size())
    ):
        return around.run()


def _together(tensors: Any, order: Any) -> bool:
    """One format of floating point, one device, and an order that has a kernel: else each goes alone."""
    first = tensors[0]
    if not first.is_floating_point() or float(order) not in (1.0, 2.0, math.inf):
        return False
    return all(
        each.dtype == first.dtype and each.fake_device == first.fake_device for each in tensors
    )


MEMBER = Effect(
    name="foreach_norm",
    says=tell(
        "norms of many tensors at once hold a partial result for every 65536 elements of the longest, "
        "for each tensor"
    ),
    source=tell(
        "PyTorch aten/src/ATen/native/cuda/ForeachReduceOp.cu: foreach_tensor_norm_cuda; 2.13's "
        "include/ATen/native/cuda/MultiTensorApply.cuh"
    ),
    operators=("aten._foreach_norm.Scalar",),
    apply=_apply,
)
