"""DistributedDataParallel, one rank: the buckets that gradients are reduced in.

Source: `torch/nn/parallel/distributed.py` and `torch/csrc/distributed/c10d/reducer.cpp` (PyTorch 2.13).
When it is made, parameters are broadcast in pieces of 250 MiB, two of them in flight, and one bucket takes
all gradients; from the second forward pass on buckets follow the order in which gradients came, 25 MiB
each and the first one 1 MiB. Buckets live as long as the model: a gradient is copied into one, summed
there, and copied back (or stays there as a view).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from fiche.simulate.ledger.kinds import GRADIENT
from fiche.simulate.ledger.ledger import Ledger
from fiche.simulate.placement import storages
from fiche.simulate.placement.asked import Placement

_BROADCAST_BYTES = 250 * 2**20
_IN_FLIGHT = 2


class Buckets:
    """The reducer of one rank."""

    def __init__(self, model: Any, ledger: Ledger, placement: Placement, microbatches: int) -> None:
        self._ledger = ledger
        self._settings = placement.settings
        self._views = placement.settings.bucket_view == "yes"
        self._microbatches = microbatches if placement.with_accumulation() else 1
        self._seen = 0
        self._ready: list[Any] = []
        self._rebuilt = False
        self._learned = [each for each in model.parameters() if each.requires_grad]
        self._buckets: list[Any] = []
        self._where: dict[int, Any] = {}
        self._broadcast(list(model.parameters()))
        self._build([self._learned])
        for each in self._learned:
            each.register_post_accumulate_grad_hook(self._arrived)
        model.register_forward_pre_hook(self._before)

    def around(self, backward: Callable[[Any], None]) -> Callable[[Any], None]:
        """The backward pass as it is: hooks do the rest."""
        return backward

    def _before(self, module: Any, args: Any) -> None:
        if not torch.is_grad_enabled():
            return
        if self._ready and not self._rebuilt:
            self._rebuilt = True
            self._build(self._assigned(self._ready))
        self._seen += 1

    def _arrived(self, parameter: Any) -> None:
        """A gradient is there: on the last microbatch it goes through its bucket."""
        if self._seen % self._microbatches:
            return
        if not self._rebuilt:
            self._ready.append(parameter)
        if self._views:
            parameter.grad = self._where[id(parameter)]

    def _assigned(self, ordered: Sequence[Any]) -> list[list[Any]]:
        """Buckets of a format each, closed once they reach their limit; the first one has its own."""
        import torch.distributed as distributed

        limits = [self._settings.first_bucket_bytes, self._settings.bucket_bytes]
        found, _ = distributed._compute_bucket_assignment_by_size(list(ordered), limits)
        return [[ordered[place] for place in places] for places in found]

    def _build(self, groups: Sequence[Sequence[Any]]) -> None:
        """New buckets in the place of the old ones, which go first; gradients that are views move over."""
        self._where.clear()
        self._buckets.clear()
        for group in groups:
            for dtype in dict.fromkeys(each.dtype for each in group):
                self._bucket([each for each in group if each.dtype == dtype], dtype)

    def _bucket(self, group: Sequence[Any], dtype: Any) -> None:
        numel = sum(each.numel() for each in group)
        bucket = storages.made(self._ledger, (numel,), dtype, "ddp.bucket", GRADIENT)
        self._buckets.append(bucket)
        offset = 0
        for each in group:
            view = torch.as_strided(bucket, tuple(each.shape), each.stride(), offset)
            offset += each.numel()
            self._where[id(each)] = view
            if self._views and each.grad is not None:
                each.grad = view

    def _broadcast(self, parameters: Sequence[Any]) -> None:
        """Flat copies of the parameters on their way from the first rank."""
        import torch.distributed as distributed

        found, _ = distributed._compute_bucket_assignment_by_size(
            list(parameters), [_BROADCAST_BYTES]
        )
        flying: list[int | None] = []
        for places in found:
            if len(flying) == _IN_FLIGHT:
                storages.let_go(self._ledger, flying.pop(0))
            num_bytes = sum(parameters[i].numel() * parameters[i].dtype.itemsize for i in places)
            flying.append(storages.held(self._ledger, num_bytes, "ddp.broadcast"))
        for each in flying:
            storages.let_go(self._ledger, each)
