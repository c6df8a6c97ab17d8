"""Attention by parts: the mask is added in place, as on CUDA; on fake tensors PyTorch makes a copy for it."""

from __future__ import annotations

import math
from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Effect


def _compose(
    composed: Any,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    dropout_mask: Any = None,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    import torch

    if dropout_mask is not None:
        given = (query, key, value, attn_mask, dropout_p, is_causal, dropout_mask)
        return composed.usual(*given, scale=scale, enable_gqa=enable_gqa)
    composed.tally.note()
    origin = query.dtype
    if _widened(origin):
        query, key, value = query.float(), key.float(), value.float()
    whole = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    factor = math.sqrt(abs(whole))
    scaled = query * math.copysign(factor, whole)
    mask = _causal(query.shape[-2], key.shape[-2], query) if is_causal else attn_mask
    keys, values = _repeated(query, key, value) if enable_gqa else (key, value)
    weights = torch.matmul(scaled, keys.transpose(-2, -1) * factor)
    if mask is not None:
        weights.add_(mask)
    weights = torch.ops.aten._safe_softmax.default(weights, -1)
    if dropout_p > 0.0:
        weights = torch.dropout(weights, dropout_p, True)
    return torch.matmul(weights, values).to(origin), weights.to(origin)


def _widened(dtype: Any) -> bool:
    """16 bits are computed in fp32, unless that is switched off."""
    import torch

    half = dtype in (torch.float16, torch.bfloat16)
    return half and not torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed()


def _causal(length: int, keys: int, like: Any) -> Any:
    import torch

    seen = torch.ones(length, keys, dtype=torch.bool, device=like.fake_device).tril()
    least = torch.scalar_tensor(-math.inf, dtype=like.dtype, device=like.fake_device)
    return torch.where(seen, 0.0, least)


def _repeated(query: Any, key: Any, value: Any) -> tuple[Any, Any]:
    heads = query.shape[-3]
    if heads == key.shape[-3] == value.shape[-3]:
        return key, value
    return tuple(each.repeat_interleave(heads // each.shape[-3], -3) for each in (key, value))


MEMBER = Effect(
    name="attention_math",
    says=tell("attention by parts adds its mask in place"),
    source="PyTorch aten/src/ATen/native/transformers/attention.cpp: _scaled_dot_product_attention_math",
    composites=("aten._scaled_dot_product_attention_math.default",),
    compose=_compose,
)
