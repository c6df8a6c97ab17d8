"""Initial values that PyTorch draws until all lie within bounds: how often hangs on values.

What it takes does not. One drawing again stands for any number of them, and none is made where not one value
in all is expected to lie beyond. After `torch.nn.init.trunc_normal_` of PyTorch 2.13.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import FakeTensor

_PLAIN = (
    0.3  # of all values within bounds, above which normal values are drawn, and not uniform ones
)


@contextmanager
def bounded() -> Iterator[None]:
    """Within it `trunc_normal_` can be called of fake tensors."""
    usual = torch.nn.init._no_grad_trunc_normal_

    def trunc_normal(
        tensor: Any, mean: float, std: float, a: float, b: float, generator: Any = None
    ) -> Any:
        if not isinstance(tensor, FakeTensor):
            return usual(tensor, mean, std, a, b, generator)
        within = _below((b - mean) / std) - _below((a - mean) / std)
        with torch.no_grad():
            if within > _PLAIN:
                _normal(tensor, (mean, std), (a, b), again=tensor.numel() * (1 - within) >= 1)
            else:
                _uniform(tensor, (a, b))
        return tensor

    with patch.object(torch.nn.init, "_no_grad_trunc_normal_", trunc_normal):
        yield


def _below(deviations: float) -> float:
    """Of normal values, how many lie below."""
    return (1.0 + math.erf(deviations / math.sqrt(2.0))) / 2.0


def _normal(
    tensor: Any, of: tuple[float, float], bounds: tuple[float, float], *, again: bool
) -> None:
    result = tensor.normal_(*of)
    mask = (result < bounds[0]) | (result > bounds[1])
    if again:
        result = torch.where(mask, torch.empty_like(result).normal_(*of), result)
        mask = (result < bounds[0]) | (result > bounds[1])
        tensor.copy_(result)


def _uniform(tensor: Any, bounds: tuple[float, float]) -> None:
    candidates, accepted = torch.empty_like(tensor), torch.empty_like(tensor)
    tensor.uniform_(*bounds)
    candidates.copy_(tensor)
    pending = accepted.uniform_().log_().gt(candidates)
    result = torch.where(pending, candidates.uniform_(*bounds), tensor)
    pending = torch.where(pending, accepted.uniform_().log_().gt(candidates), pending)
    tensor.copy_(result)
