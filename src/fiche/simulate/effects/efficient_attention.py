"""Memory-efficient attention: an accumulator in fp32 for wide heads, and random state on the host."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Around, Effect

_FLOAT = 4
_WIDEST_IN_REGISTERS = 128


def _apply(around: Around) -> Any:
    import torch

    out, sums, seed, offset = around.run_unentered()
    around.enter((out, sums))
    query, value = around.args[0], around.args[2]
    wide = max(query.shape[-1], value.shape[-1]) > _WIDEST_IN_REGISTERS
    accumulated = out.numel() * _FLOAT if wide and out.element_size() < _FLOAT else 0
    with around.workspace(accumulated):
        seed, offset = (
            torch.empty(each.shape, dtype=each.dtype, device="cpu") for each in (seed, offset)
        )
        return out, sums, seed, offset


MEMBER = Effect(
    name="efficient_attention",
    says=tell(
        "memory-efficient attention with heads wider than 128 in 16 bits sums its output in fp32 "
        "beside it; its random state is on the host"
    ),
    source=tell(
        "PyTorch 2.13 include/ATen/native/transformers/cuda/mem_eff_attention/kernel_forward.h and "
        "kernels/cutlassF.h; aten/src/ATen/native/transformers/cuda/attention.cu: "
        "_efficient_attention_forward"
    ),
    operators=("aten._scaled_dot_product_efficient_attention.default",),
    apply=_apply,
)
