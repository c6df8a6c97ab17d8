"""Storages that come and go while their tensors stay, as `resize_` of a storage does on a GPU.

A parameter that is gathered for a while is one tensor all the time: autograd saves it in the forward pass,
and its bytes are there again when the backward pass reads it. Here such a tensor is made out of the
ledger's sight, and its entry is written when its bytes are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes

from fiche.simulate.ledger.ledger import Ledger

_NoFunctions = torch._C.DisableTorchFunction
# Streams of their own: what is freed on one is not used again on another.
GATHER, REDUCE = 1001, 1002


def device_of(ledger: Ledger, index: int = 0) -> torch.device:
    """The device that stands in for a GPU, as PyTorch's own code knows it."""
    if ledger.watched == "cpu":
        return torch.device("cpu")
    return torch.device(ledger.watched, index)


def unseen(ledger: Ledger, shape: Sequence[int], dtype: Any, device: torch.device) -> Any:
    """A tensor without bytes so far, of any shape; no event is written."""
    with _NoFunctions(), _disable_current_modes():
        values = torch.empty(tuple(shape), dtype=dtype, device="meta")
        return FakeTensor(ledger.fake, values, device)


def filled(ledger: Ledger, tensor: Any, what: str, kind: str, *, stream: int | None = None) -> Any:
    """Its storage's bytes are taken, under a name of their own; the tensor itself."""
    with on_stream(ledger, stream):
        ledger.record(tensor, what)
    ledger.mark((tensor,), kind, over=True)
    return tensor


def made(
    ledger: Ledger,
    shape: Sequence[int],
    dtype: Any,
    what: str,
    kind: str,
    *,
    stream: int | None = None,
) -> Any:
    """A new tensor of the rank's own device, with its bytes."""
    tensor = unseen(ledger, shape, dtype, device_of(ledger))
    return filled(ledger, tensor, what, kind, stream=stream)


def emptied(ledger: Ledger, tensor: Any) -> None:
    """Its storage's bytes are given back, the tensor stays."""
    with _NoFunctions():
        key = tensor.untyped_storage()._cdata
        index = tensor.fake_device.index or 0
    held = ledger._live.pop(key, None)
    if held is not None:
        ledger._free(index, held[0])


def held(ledger: Ledger, num_bytes: int, what: str, *, stream: int | None = None) -> int | None:
    """A buffer that no tensor stands for; None where it would have no byte."""
    return ledger.hold(num_bytes, what, stream=stream) if num_bytes else None


def let_go(ledger: Ledger, entry: int | None) -> None:
    """Give back what `held` took."""
    if entry is not None:
        ledger.release(entry)


@contextmanager
def on_stream(ledger: Ledger, stream: int | None) -> Iterator[None]:
    """What is taken within it is taken on that stream."""
    before = ledger.stream
    ledger.stream = before if stream is None else stream
    try:
        yield
    finally:
        ledger.stream = before


def num_bytes_of(count: int, dtype: Any) -> int:
    """Bytes of values in a format."""
    return int(count) * int(dtype.itemsize)
