"""Operators that PyTorch takes apart before autograd; in inference mode they come whole.

What they are made of would then not be seen: they are taken apart here, as they are out of that mode.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch._C import DispatchKey

_is_inference = torch.is_inference_mode_enabled
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


@cache
def _is_composite(func: Any) -> bool:
    return _has_kernel(func, _COMPOSITE)


def _has_kernel(func: Any, key: Any) -> bool:
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), key))
