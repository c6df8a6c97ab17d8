"""Which kernel CUDA takes for scaled dot-product attention: the first, in order, that the inputs allow.

Source: PyTorch aten/src/ATen/native/transformers/cuda/sdp_utils.cpp (select_sdp_backend and its
constraints) and include/ATen/native/transformers/sdp_utils_cpp.h of 2.13. Two facts of it stand for a build:
cuDNN is preferred on capability 9.0, 10.0 and 10.3 (cuDNN above 9.15), and its heads are at most 128 wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from fiche.simulate.effects._gpu import Gpu

MATH, FLASH, EFFICIENT, CUDNN = 0, 1, 2, 3
_USUAL_ORDER = (FLASH, EFFICIENT, MATH, CUDNN)
_CUDNN_FIRST = (CUDNN, FLASH, EFFICIENT, MATH)
_CUDNN_PREFERRED = ((9, 0), (10, 0), (10, 3))
_HALF = (torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Asked:
    """One call of attention, as the constraints look at it."""

    query: Any
    key: Any
    value: Any
    mask: Any
    dropout: float
    causal: bool
    grouped: bool

    @property
    def learns(self) -> bool:
        """True where a backward pass may follow."""
        wanted = any(each.requires_grad for each in (self.query, self.key, self.value))
        return wanted and torch.is_grad_enabled()

    @property
    def tensors(self) -> tuple[Any, Any, Any]:
        """Query, key and value."""
        return self.query, self.key, self.value


def backend_of(asked: Asked, gpu: Gpu) -> int:
    """The number of the kernel, as `torch.nn.attention.SDPBackend` counts.

    Raises:
        RuntimeError: every kernel is switched off that could take these inputs.
    """
    for backend in _order(gpu):
        if backend == MATH and torch.backends.cuda.math_sdp_enabled():
            return MATH
        if backend in _ALLOWED and _ALLOWED[backend](asked, gpu):
            return int(backend)
    raise RuntimeError("No available kernel. Aborting execution.")


def _order(gpu: Gpu) -> tuple[int, ...]:
    order = tuple(each for each in torch._C._get_sdp_priority_order() if each <= CUDNN)
    if order == _USUAL_ORDER and gpu.capability in _CUDNN_PREFERRED:
        return _CUDNN_FIRST
    return order


def _dense(asked: Asked, *, grouped: bool, equal: bool = True) -> bool:
    """Four dimensions, one batch, no empty sequence, and heads that agree, or divide where groups may be."""
    query, key, value = asked.tensors
    if not query.dim() == key.dim() == value.dim() == 4:
        return False
    if not query.shape[0] == key.shape[0] == value.shape[0]:
        return False
    if not query.shape[2] or not key.shape[2]:
        return False
    heads, keys, values = query.shape[1], key.shape[1], value.shape[1]
    if grouped and asked.grouped:
        fits = heads % keys == 0 and heads % values == 0
        return fits and (keys == values or not equal)
    return bool(heads == keys == values)


def _last_is_dense(asked: Asked, *, single: bool) -> bool:
    dense = all(each.stride(-1) == 1 for each in asked.tensors)
    if single and asked.query.shape[-1] == 1:
        dense = True
    return dense and (asked.mask is None or asked.mask.stride(-1) == 1)


def _one_format(asked: Asked, formats: tuple[Any, ...]) -> bool:
    query, key, value = asked.tensors
    return bool(query.dtype == key.dtype == value.dtype and query.dtype in formats)


def _half_formats(gpu: Gpu) -> tuple[Any, ...]:
    return _HALF if gpu.capability >= (8, 0) else (torch.float16,)


def _flash(asked: Asked, gpu: Gpu) -> bool:
    width = asked.query.shape[-1]
    return (
        torch.backends.cuda.flash_sdp_enabled()
        and asked.mask is None
        and _dense(asked, grouped=True)
        and all(each.shape[-1] == width for each in asked.tensors)
        and width <= 256
        and (8, 0) <= gpu.capability <= (12, 1)
        and (not asked.learns or _flash_learns(width, asked.dropout, gpu))
        and (not asked.causal or asked.query.shape[2] == asked.key.shape[2])
        and _one_format(asked, _half_formats(gpu))
        and _last_is_dense(asked, single=True)
    )


def _flash_learns(width: int, dropout: float, gpu: Gpu) -> bool:
    """Cards with little shared memory have no backward pass for some wide heads."""
    small = (8, 6) <= gpu.capability <= (8, 9) or gpu.capability[0] == 12
    return not small or width <= 192 or (not dropout and width > 224)


def _efficient(asked: Asked, gpu: Gpu) -> bool:
    formats = (torch.float32, *_half_formats(gpu))
    return (
        torch.backends.cuda.mem_efficient_sdp_enabled()
        and _dense(asked, grouped=False)
        and _efficient_widths(asked, gpu)
        and (5, 0) <= gpu.capability <= (12, 1)
        and _one_format(asked, formats)
        and _last_is_dense(asked, single=False)
    )


def _efficient_widths(asked: Asked, gpu: Gpu) -> bool:
    """Widths that are multiples of what the tensor cores read at once."""
    half = asked.query.dtype in _HALF
    alignment = 4 if gpu.capability >= (8, 0) else 1
    if gpu.capability >= (8, 0) or (half and gpu.capability >= (7, 0)):
        alignment = max(alignment, 128 // (16 if half else 32))
    width, value = asked.query.shape[-1], asked.value.shape[-1]
    return bool(
        width == asked.key.shape[-1]
        and width
        and value
        and not width % alignment
        and not value % alignment
    )


def _cudnn(asked: Asked, gpu: Gpu) -> bool:
    return (
        torch.backends.cuda.cudnn_sdp_enabled()
        and _dense(asked, grouped=True, equal=False)
        and not _refuses_order()
        and _one_format(asked, _half_formats(gpu))
        and _cudnn_mask(asked)
        and (8, 0) <= gpu.capability <= (12, 1)
        and _last_is_dense(asked, single=True)
        and _cudnn_shapes(asked, gpu)
    )


def _refuses_order() -> bool:
    """True where results must be the same each time, and more than a warning is asked."""
    strict = torch.are_deterministic_algorithms_enabled()
    return strict and not torch.is_deterministic_algorithms_warn_only_enabled()


def _cudnn_mask(asked: Asked) -> bool:
    mask = asked.mask
    if mask is None:
        return True
    if mask.requires_grad or mask.dim() not in (2, 4):
        return False
    whole = (*asked.query.shape[:2], asked.query.shape[2], asked.key.shape[2])
    return all(
        have in (1, want) for have, want in zip(mask.shape, whole[-mask.dim() :], strict=True)
    )


def _cudnn_shapes(asked: Asked, gpu: Gpu) -> bool:
    width, value = asked.query.shape[-1], asked.value.shape[-1]
    new = gpu.capability[0] in (9, 10)
    narrow = max(width, value) <= 128 or (new and (width, value) == (192, 128))
    single = asked.key.shape[2] == 1 or (asked.dropout and asked.query.shape[2] == 1)
    return bool(narrow and not width % 8 and not value % 8 and not single)


_ALLOWED = {FLASH: _flash, EFFICIENT: _efficient, CUDNN: _cudnn}
