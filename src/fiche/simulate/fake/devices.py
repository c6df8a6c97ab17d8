"""The device that stands in for a GPU, and what Python is shown in its place.

Fake tensors of the device `cuda` cannot run backward on a build of PyTorch without CUDA: its autograd engine
asks for a stream of an accelerator that is not there. The device `lazy` has no accelerator, and its
backward runs in the calling thread; so in C++ a GPU is `lazy:N`, and in Python it is `cuda:N`. Tensors of
the host stay tensors of the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

_STAND_IN, _SHOWN = "lazy", "cuda"
# `cuda` without a number is the current device.
_current = [0]


@contextmanager
def current_device(index: int | None) -> Iterator[None]:
    """Within it `cuda` without a number is this device; None or a negative number changes nothing."""
    before = _current[0]
    try:
        if index is not None and index >= 0:
            _current[0] = index
        yield
    finally:
        _current[0] = before


def set_current_device(index: int) -> None:
    """From here on `cuda` without a number is this device, until a `current_device` around it is left."""
    if index >= 0:
        _current[0] = index


def index_of(device: object = None) -> int:
    """The number of a device of CUDA; None is the current one."""
    found = stand_in(_SHOWN if device is None else device)
    return _current[0] if found.index is None else int(found.index)


def stand_in(device: Any) -> Any:
    """The device in C++ of what Python calls `cuda`, `cuda:N` or N; anything else as it is."""
    if isinstance(device, bool) or device is None:
        return device
    if isinstance(device, int):
        return torch.device(_STAND_IN, device)
    if isinstance(device, str):
        if not device.startswith(_SHOWN):
            return device
        device = torch.device(device)
    if isinstance(device, torch.device) and device.type == _SHOWN:
        return torch.device(_STAND_IN, _current[0] if device.index is None else device.index)
    return device


def is_stand_in(device: torch.device) -> bool:
    """True for a device that stands for a GPU."""
    return bool(device.type == _STAND_IN)


def shown(device: torch.device) -> torch.device:
    """What Python is told of a device."""
    if device.type == _STAND_IN:
        return torch.device(_SHOWN, device.index or 0)
    return device
