"""`Module.to` and its kin for fake tensors: each parameter stays the same object, on its new device.

PyTorch swaps fake parameters with their converted ones, and refuses where anything holds a weak reference.
On a GPU the values change beneath the parameter. So they do here, and the old storage goes when nothing else
has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import FakeTensor

from fiche.simulate.ledger.kinds import BUFFER, PARAMETER
from fiche.simulate.ledger.ledger import Ledger

_HOOKS = ("_backward_hooks", "_post_accumulate_grad_hooks")


@contextmanager
def modules_moved(ledger: Ledger) -> Iterator[None]:
    """Within it modules of fake tensors can be moved and converted."""
    usual = torch.nn.Module._apply

    def apply(module: Any, function: Callable[[Any], Any], recurse: bool = True) -> Any:
        if not any(isinstance(each, FakeTensor) for each in _own_tensors(module)):
            return usual(module, function, recurse)
        if recurse:
            for child in module.children():
                child._apply(function)
        for parameter in module._parameters.values():
            if parameter is not None:
                _change(parameter, function)
                ledger.mark((parameter,), PARAMETER, over=True)
        for name, buffer in module._buffers.items():
            if buffer is not None:
                module._buffers[name] = moved = function(buffer)
                ledger.mark((moved,), BUFFER)
        return module

    with (
        patch.object(torch.nn.Module, "_apply", apply),
        patch.object(torch.utils, "swap_tensors", _swapping(torch.utils.swap_tensors)),
    ):
        yield


def _swapping(usual: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """As `torch.utils.swap_tensors`, which refuses fake tensors: their mode refers to them weakly."""

    def swap_tensors(first: Any, second: Any) -> None:
        if not isinstance(first, FakeTensor) or not isinstance(second, FakeTensor):
            usual(first, second)
            return
        first.__class__, second.__class__ = second.__class__, first.__class__
        first.__dict__, second.__dict__ = second.__dict__, first.__dict__
        torch._C._swap_tensor_impl(first, second)

    return swap_tensors


def _own_tensors(module: Any) -> Iterator[Any]:
    yield from module._parameters.values()
    yield from module._buffers.values()


def _change(parameter: Any, function: Callable[[Any], Any]) -> None:
    with torch.no_grad():
        gradient = parameter.grad
        become(parameter, function(parameter))
        if gradient is not None:
            become(gradient, function(gradient))
            parameter.grad = gradient


def become(tensor: Any, made: Any) -> None:
    """One tensor takes the storage, format and device of another; whoever holds it sees it changed.

    Its gradient, which may not be of another device, is gone: the caller puts it back.
    """
    if made is tensor:
        return
    made = made.detach().requires_grad_(tensor.requires_grad)
    made.__dict__.update({k: v for k, v in tensor.__dict__.items() if k not in made.__dict__})
    hooks = {name: getattr(tensor, name) for name in _HOOKS}
    torch._C._swap_tensor_impl(tensor, made)
    tensor.__dict__, made.__dict__ = made.__dict__, tensor.__dict__
    for name, told in hooks.items():
        if told:
            setattr(tensor, name, told)  # autograd's own list of them went with the old values
