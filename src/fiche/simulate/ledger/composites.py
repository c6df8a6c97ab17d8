"""What inference mode leaves out of what a program does, and is done here.

Operators that PyTorch takes apart before autograd come whole, and what they are made of would not be seen. And
views of what learns do not learn, by which matrix products choose between a copy and a broadcast.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch._C import DispatchKey

_is_inference = torch.is_inference_mode_enabled
_DETACH = torch.ops.aten.detach.default
_AUTOCAST = torch._C._dispatch_key_parse("AutocastPrivateUse1")
_COMPOSITE = DispatchKey.CompositeImplicitAutograd
# What rows of the table of effects say of an operator is registered here.
_DEVICE = DispatchKey.AutogradLazy


def comes_whole(func: Any) -> bool:
    """Whether this operator is one that is to be taken apart yet."""
    return _is_inference() and _is_composite(func)


def taken_apart(func: Any, args: Any, kwargs: Any, *, on_device: bool) -> Any:
    """The operator as autograd would have taken it apart, for the device or for the host."""
    own = on_device and _has_kernel(func, _DEVICE)
    excluded = torch._C._dispatch_tls_local_exclude_set().remove(_AUTOCAST)
    with torch._C._ForceDispatchKeyGuard(torch._C._dispatch_tls_local_include_set(), excluded):
        return func._op_dk(_DEVICE if own else _COMPOSITE, *args, **kwargs)


def as_its_source(func: Any, args: Any, made: Any) -> None:
    """A view learns where what it is a view of does."""
    if not func.is_view or func is _DETACH or not isinstance(made, torch.Tensor):
        return
    source = args[0]
    if source.requires_grad and not made.requires_grad:
        made.requires_grad_()


@cache
def _is_composite(func: Any) -> bool:
    return _has_kernel(func, _COMPOSITE)


def _has_kernel(func: Any, key: Any) -> bool:
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), key))
