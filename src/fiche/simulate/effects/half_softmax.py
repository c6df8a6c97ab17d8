"""A softmax of fp16 that is asked for in fp32: CUDA reads the 16 bits, without a copy in fp32."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Effect


def _compose(composed: Any, entries: Any, dim: int, dtype: Any = None) -> Any:
    import torch

    if dtype != torch.float32 or entries.dtype != torch.float16:
        return composed.usual(entries, dim, dtype)
    composed.tally.note()
    logarithm = "log" in composed.usual.name
    kernel = torch.ops.aten._log_softmax if logarithm else torch.ops.aten._softmax
    return kernel.default(entries, dim, True)


MEMBER = Effect(
    name="half_softmax",
    says=tell(
        "a softmax of fp16 asked for in fp32 reads the fp16 itself; of bf16 it makes a copy first"
    ),
    source="PyTorch aten/src/ATen/native/SoftMax.cpp: softmax, log_softmax (half_to_float)",
    composites=("aten.softmax.int", "aten.log_softmax.int"),
    compose=_compose,
)
