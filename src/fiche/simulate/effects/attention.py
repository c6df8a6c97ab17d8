"""Scaled dot-product attention: the kernel that CUDA takes, and the masks and paddings it makes for it."""

from __future__ import annotations

import math
from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects import _backend
from fiche.simulate.effects._row import Effect

_BY_EIGHT = 8
_LEAST_IN_CUDNN = -65504.0


def _compose(
    composed: Any,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    import torch

    aten = torch.ops.aten
    asked = _backend.Asked(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa)
    backend = _backend.backend_of(asked, composed.gpu)
    composed.tally.note()
    if backend == _backend.FLASH:
        return _flash(query, key, value, dropout_p, is_causal, scale)
    least = _LEAST_IN_CUDNN if backend == _backend.CUDNN else -math.inf
    mask = _added(attn_mask, query.dtype, least)
    if backend == _backend.CUDNN:
        cudnn = aten._scaled_dot_product_cudnn_attention.default
        found = cudnn(
            query, key, value, mask, asked.learns, dropout_p, is_causal, False, scale=scale
        )
        return found[0]
    if backend == _backend.EFFICIENT:
        mask = _aligned(mask, query, key)
        efficient = aten._scaled_dot_product_efficient_attention.default
        return efficient(query, key, value, mask, asked.learns, dropout_p, is_causal, scale=scale)[
            0
        ]
    by_parts = aten._scaled_dot_product_attention_math.default
    options = {"scale": scale, "enable_gqa": enable_gqa}
    return by_parts(query, key, value, mask, dropout_p, is_causal, None, **options)[0]


def _flash(
    query: Any, key: Any, value: Any, dropout: float, causal: bool, scale: float | None
) -> Any:
    """Heads are padded to a multiple of 8, and the result cut again."""
    import torch

    width = query.shape[-1]
    if width % _BY_EIGHT:
        room = (0, _BY_EIGHT - width % _BY_EIGHT)
        query, key, value = (torch.constant_pad_nd(each, room) for each in (query, key, value))
    factor = 1.0 / math.sqrt(width) if scale is None else scale
    flash = torch.ops.aten._scaled_dot_product_flash_attention.default
    found = flash(query, key, value, dropout, causal, False, scale=factor)[0]
    return found if found.shape[-1] == width else found[..., :width]


def _added(mask: Any, dtype: Any, least: float) -> Any:
    """A mask of truth values as numbers to add, in the format of the query."""
    import torch

    if mask is None or mask.dtype != torch.bool:
        return mask
    return torch.where(mask, 0.0, torch.scalar_tensor(least, dtype=dtype, device=mask.fake_device))


def _aligned(mask: Any, query: Any, key: Any) -> Any:
    """A mask whose rows do not begin at multiples of 8 elements is padded; it is expanded without a copy."""
    import torch

    if mask is None:
        return None
    strides = mask.stride()
    if strides[-1] != 1 or any(each % _BY_EIGHT for each in strides[:-1]):
        length = mask.shape[-1]
        mask = torch.constant_pad_nd(mask, (0, _BY_EIGHT - length % _BY_EIGHT))[..., :length]
    return mask.expand(query.shape[0], query.shape[1], query.shape[2], key.shape[2])


MEMBER = Effect(
    name="attention",
    says=tell(
        "scaled dot-product attention runs the kernel that CUDA chooses by format, width, mask, "
        "dropout, groups and compute capability; a boolean mask becomes one of numbers, and what does "
        "not align is padded"
    ),
    source=tell(
        "PyTorch aten/src/ATen/native/transformers/attention.cpp: scaled_dot_product_attention, "
        "preprocess_mask; cuda/sdp_utils.cpp at 001f694: select_sdp_backend; 2.13's "
        "include/ATen/native/transformers/sdp_utils_cpp.h"
    ),
    composites=("aten.scaled_dot_product_attention.default",),
    compose=_compose,
)
