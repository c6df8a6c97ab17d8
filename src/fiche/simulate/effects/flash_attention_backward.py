"""FlashAttention's backward pass: an accumulator in fp32, and gradients of keys for each query head."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._gpu import Gpu
from fiche.simulate.effects._row import Around, Effect, bytes_of, ceiling, rounded_up

_FLOAT = 4


def _apply(around: Around) -> Any:
    import torch

    gradient, query, key, out = (around.args[at] for at in (0, 1, 2, 4))
    copies = [
        bytes_of(each) for each in (gradient, out) if not each.transpose(1, 2).is_contiguous()
    ]
    exact = torch.are_deterministic_algorithms_enabled()
    exact = exact and not torch.is_deterministic_algorithms_warn_only_enabled()
    with around.workspace(*copies):
        made = around.run()
        sizes = buffer_bytes(
            tuple(query.shape), tuple(key.shape), key.element_size(), around.gpu, exact
        )
        with around.workspace(*sizes):
            return made


def buffer_bytes(
    query: tuple[int, ...], key: tuple[int, ...], width: int, gpu: Gpu, exact: bool = False
) -> tuple[int, ...]:
    """Bytes of the softmax sums, the accumulator of the query's gradient and the expanded gradients.

    Shapes are (batch, heads, length, width); `width` is bytes of an element; `exact` is deterministic mode.
    """
    batch, heads, length, size = query
    if not batch:
        return ()
    rows = batch * heads * rounded_up(length, 128)
    rounds = ceiling(gpu.processors, batch * heads) if exact else 1
    held = [rows * _FLOAT, rounds * rows * rounded_up(size, 32 if size <= 128 else 64) * _FLOAT]
    if heads != key[1]:
        held += 2 * [batch * key[2] * heads * size * width]
    return tuple(held)


MEMBER = Effect(
    name="flash_attention_backward",
    says=tell(
        "FlashAttention's backward pass sums the query's gradient in fp32, its length rounded up to "
        "128 and its width to 32 or 64, and with fewer key heads than query heads makes both other "
        "gradients for every query head"
    ),
    source="PyTorch aten/src/ATen/native/transformers/cuda/flash_attn/flash_api.cpp at 03b7c19: mha_bwd; "
    "attention_backward.cu at 00afd8f: _flash_attention_backward",
    operators=("aten._scaled_dot_product_flash_attention_backward.default",),
    apply=_apply,
)
