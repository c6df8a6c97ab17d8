"""ZeRO stage 3 of DeepSpeed, one rank: weights of single modules gathered for use, and let go of.

Source: `deepspeed/runtime/zero/stage3.py`, `partition_parameters.py`, `partitioned_param_coordinator.py`.
Each parameter is cut flat, padded to the ranks. A module's own parameters are gathered before it runs,
forward and backward, and let go of behind it. From the second pass on the order is known: then what comes
next is fetched ahead, up to `stage3_prefetch_bucket_size` elements and `stage3_max_live_parameters`, and
what is used again within `stage3_max_reuse_distance` stays. Parameters of no more than
`stage3_param_persistence_threshold` elements stay too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from fiche.simulate.ledger.kinds import GRADIENT, PARAMETER
from fiche.simulate.ledger.ledger import Ledger
from fiche.simulate.placement import storages
from fiche.simulate.placement.asked import Placement
from fiche.simulate.placement.devices import buffers_on
from fiche.simulate.placement.fetched import Fetched, One, hook
from fiche.simulate.placement.stepped import Stepped
from fiche.simulate.placement.storages import held, let_go, num_bytes_of
from fiche.simulate.placement.units import owners_of

_MASTER = torch.float32


class Partitioned:
    """Partitions, gradients and the update of one rank."""

    def __init__(
        self, model: Any, ledger: Ledger, placement: Placement, microbatches: int, made: Any
    ) -> None:
        self._ledger = ledger
        self._settings = placement.settings
        self._ranks = placement.data
        self._offloads = placement.offload != "none"
        owned = [each for _, found in owners_of([model]) for each in found]
        self.ones = [One(each, ledger, placement) for each in owned]
        self._learned = [each for each in self.ones if each.whole.requires_grad]
        self._flat = self._partitions(placement.offload == "parameters")
        self._groups = self._grouped()
        self._masters = [self._master(group) for group in self._groups]
        self._optimizer = made(self._masters)
        self._first_gradient()
        self._bucket = self._made(self._settings.reduce_bucket_size, "zero3.reduce_bucket")
        self._elements = 0
        self._in_bucket: list[One] = []
        self._gradients = None if self._offloads else self._all_gradients()
        self.fetched = Fetched(self.ones, ledger, placement)
        for each in self._learned:
            each.whole.register_post_accumulate_grad_hook(self._arrived)
        self._by_id = {id(each.whole): each for each in self._learned}
        hook(model, self.fetched)
        buffers_on(model, ledger)

    def stepped(self) -> Stepped:
        """The optimizer that a loop calls."""
        return Stepped(self._optimizer, self._step, [each.whole for each in self._learned])

    def around(self, backward: Callable[[Any], None]) -> Callable[[Any], None]:
        """A backward pass, and the last bucket behind it."""

        def passed(loss: Any) -> None:
            backward(loss)
            self._reduce()
            self.fetched.end()

        return passed

    # --- Made once ------------------------------------------------------------------------------

    @property
    def _dtype(self) -> Any:
        return self._learned[0].whole.dtype

    def _made(self, numel: int, what: str) -> Any:
        return storages.made(self._ledger, (numel,), self._dtype, what, GRADIENT)

    def _partitions(self, on_host: bool) -> Any:
        """Learned partitions in one piece, the others each by itself."""
        if on_host:
            return None
        self._frozen = [
            storages.made(
                self._ledger, (each.partition,), each.whole.dtype, "zero3.partition", PARAMETER
            )
            for each in self.ones
            if not each.whole.requires_grad
        ]
        numel = sum(each.partition for each in self._learned)
        return storages.made(
            self._ledger, (numel,), self._dtype, "zero3.flat_partitions", PARAMETER
        )

    def _grouped(self) -> list[list[One]]:
        """Sub-groups of `sub_group_size` elements of this rank's, closed once they reach it."""
        groups: list[list[One]] = [[]]
        for each in self._learned:
            if sum(one.partition for one in groups[-1]) >= self._settings.sub_group_size:
                groups.append([])
            groups[-1].append(each)
        return groups

    def _master(self, group: Sequence[One]) -> Any:
        """A sub-group in fp32: converted, then cloned; of fp32 weights they are the partitions themselves."""
        numel = sum(each.partition for each in group)
        if self._offloads:
            return torch.nn.Parameter(torch.empty((numel,), dtype=_MASTER, device="cpu"))
        if self._dtype == _MASTER:
            start = sum(each.partition for each in self._learned[: self._learned.index(group[0])])
            return torch.nn.Parameter(torch.as_strided(self._flat, (numel,), (1,), start))
        converted = held(self._ledger, num_bytes_of(numel, _MASTER), "zero3.master_converted")
        master = storages.made(self._ledger, (numel,), _MASTER, "zero3.master_partition", PARAMETER)
        let_go(self._ledger, converted)
        return torch.nn.Parameter(master)

    def _first_gradient(self) -> None:
        if not self._offloads:
            largest = max(each.numel() for each in self._masters)
            let_go(self._ledger, held(self._ledger, 4 * largest, "zero3.first_gradient"))

    def _all_gradients(self) -> Any:
        return self._made(
            sum(each.partition for each in self._learned), "zero3.gradient_partitions"
        )

    # --- Backward -------------------------------------------------------------------------------

    def _arrived(self, parameter: Any) -> None:
        """A gradient goes into the bucket, which is reduced first where there is no more room."""
        numel, room = parameter.numel(), self._settings.reduce_bucket_size
        if self._elements and self._elements + numel > room:
            self._reduce()
        if self._elements + numel <= room:
            shape, stride = tuple(parameter.shape), parameter.stride()
            parameter.grad = torch.as_strided(self._bucket, shape, stride, self._elements)
        self._elements += numel
        self._in_bucket.append(self._by_id[id(parameter)])

    def _reduce(self) -> None:
        """The ranks' parts set side by side in one buffer; one gradient without padding is its own buffer."""
        ones, ledger = self._in_bucket, self._ledger
        padded = sum(each.partition * self._ranks for each in ones)
        alone = len(ones) == 1 and ones[0].whole.numel() == padded
        if ones and not alone:
            let_go(ledger, held(ledger, num_bytes_of(padded, self._dtype), "zero3.reduce_scatter"))
        for each in ones:
            each.whole.grad = None
        self._in_bucket = []
        self._elements = 0

    # --- Update ---------------------------------------------------------------------------------

    def _step(self) -> None:
        """Nothing stays gathered; then one sub-group after another, and the small parameters again."""
        self.fetched.release_all()
        for each in () if self._offloads else self._learned:
            norm = held(self._ledger, 8 * each.partition, "zero3.gradient_norm")
            let_go(self._ledger, norm)
        for master, group in zip(self._masters, self._groups, strict=True):
            master.grad = self._one_gradient(master, group)
            self._optimizer.param_groups[0]["params"] = [master]
            self._optimizer.step()
            master.grad = None
        self._optimizer.param_groups[0]["params"] = list(self._masters)
        self.fetched.gather_small()

    def _one_gradient(self, master: Any, group: Sequence[One]) -> Any:
        if self._offloads:
            return torch.empty_like(master)
        ledger, numel = self._ledger, master.numel()
        flat = None
        if len(group) > 1:
            flat = held(ledger, num_bytes_of(numel, self._dtype), "zero3.flat_gradient")
        if self._dtype == _MASTER:
            let_go(ledger, flat)
        made = storages.made(ledger, (numel,), _MASTER, "zero3.partition_gradient", GRADIENT)
        if self._dtype != _MASTER:
            let_go(ledger, flat)
        return made


def share_out(
    model: Any, ledger: Ledger, placement: Placement, microbatches: int, made: Any
) -> tuple[Any, Any, Any]:
    """The model without weights, the optimizer of this rank's partitions, and what reduces gradients."""
    partitioned = Partitioned(model, ledger, placement, microbatches, made)
    return model, partitioned.stepped(), partitioned
