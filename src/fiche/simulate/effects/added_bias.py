"""A bias that no product can take along: added in place on CUDA, while fake tensors make a copy for it."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Effect


def _compose(composed: Any, entries: Any, weight: Any, bias: Any = None) -> Any:
    import torch

    within = bias is None or entries.dim() == 2 or entries.is_contiguous()
    if within or weight.dim() != 2:
        return composed.usual(entries, weight, bias)
    composed.tally.note()
    return torch.matmul(entries, weight.t()).add_(bias)


MEMBER = Effect(
    name="added_bias",
    says=tell("a linear layer over an input that does not lie in rows adds its bias in place"),
    source="PyTorch aten/src/ATen/native/Linear.cpp: linear",
    composites=("aten.linear.default",),
    compose=_compose,
)
