"""Products of groups of rows, as CUDA makes them: by one kernel, or one product after another."""

from __future__ import annotations

from typing import Any

_ALIGNED_BYTES = 16
_POINTER, _STRIDE, _SHAPE = 8, 8, 12


def is_one_kernel(capability: tuple[int, int], first: Any, second: Any) -> bool:
    """True where one kernel makes all of them: bf16 on capability 9.0 and 10.0 (`_grouped_mm_cuda`)."""
    import torch

    both = first.dtype == second.dtype == torch.bfloat16
    return both and capability in ((9, 0), (10, 0))


def shape_of(first: Any, second: Any, ends: Any) -> tuple[int, ...]:
    """Of the results; `ends` are where each group ends (`create_grouped_gemm_output_tensor`)."""
    flat = (first.dim() == 2, second.dim() == 2)
    if flat == (True, True):
        return (ends.size(0), first.size(0), second.size(1))
    if flat == (True, False):
        return (first.size(0), second.size(-1))
    if flat == (False, True):
        return (first.size(1), second.size(1))
    return (first.size(0), first.size(1), second.size(-1))


def strides_of(shape: tuple[int, ...], item_bytes: int) -> tuple[int, ...]:
    """Rows begin at multiples of 16 bytes."""
    multiple = _ALIGNED_BYTES // item_bytes
    row = -(-shape[-1] // multiple) * multiple
    return (shape[1] * row, row, 1) if len(shape) == 3 else (row, 1)


def groups_of(first: Any, second: Any, ends: Any) -> int:
    """How many products."""
    return int(
        ends.size(0) if ends is not None else (first if first.dim() == 3 else second).size(0)
    )


def table_bytes(groups: int) -> int:
    """What the one kernel is told: three pointers, three strides and a shape of each group."""
    return groups * (3 * _STRIDE + _SHAPE) + (groups + groups % 2) * 3 * _POINTER
