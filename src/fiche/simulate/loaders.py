"""Seeds and orders of data loaders: numbers of the host, which no device has a part in.

A loader draws a seed from PyTorch's generator of the host and reads it as a number; so does one that shuffles.
Those are drawn for real, so that a loop over a loader runs; what the loader hands out is as fake as anything.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch

# torch.utils._python_dispatch has no public name for it (2.4 to 2.13).
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.data import DataLoader, dataloader, sampler
from torch.utils.data.distributed import DistributedSampler


@contextmanager
def loaders_drawn() -> Iterator[None]:
    """Within it loaders and samplers draw their numbers on the host."""
    orders = (sampler.RandomSampler, sampler.SubsetRandomSampler, DistributedSampler)
    with ExitStack() as stack:
        begun = dataloader._BaseDataLoaderIter
        stack.enter_context(patch.object(begun, "__init__", _for_real(begun.__init__)))
        stack.enter_context(patch.object(DataLoader, "__init__", _alone(DataLoader.__init__)))
        for kind in orders:
            stack.enter_context(patch.object(kind, "__iter__", _whole(kind.__iter__)))
        yield


def _alone(usual: Callable[..., None]) -> Callable[..., None]:
    """Batches are made in this process: no fake tensor can go to another, and a worker has no device."""
    taken = inspect.signature(usual)
    without = {"num_workers": 0, "timeout": 0, "prefetch_factor": None, "persistent_workers": False}

    def begun(*args: Any, **kwargs: Any) -> None:
        told = taken.bind(*args, **kwargs)
        told.arguments["pin_memory"] = False  # memory of the host
        if told.arguments.get("num_workers"):
            told.arguments.update(without, multiprocessing_context=None)
        usual(*told.args, **told.kwargs)

    return begun


def _for_real(usual: Callable[..., Any]) -> Callable[..., Any]:
    def drawn(*args: Any, **kwargs: Any) -> Any:
        with _disable_current_modes(), torch._C.DisableTorchFunction():
            return usual(*args, **kwargs)

    return drawn


def _whole(usual: Callable[..., Iterator[int]]) -> Callable[..., Iterator[int]]:
    """All of an order at once: one that is drawn bit by bit would be drawn among fake tensors."""

    def order(given: Any) -> Iterator[int]:
        with _disable_current_modes(), torch._C.DisableTorchFunction():
            return iter([int(place) for place in usual(given)])

    return order
