"""ZeRO stages 1 and 2 of DeepSpeed, one rank: whole weights, states of a partition, gradients through buckets.

Source: `deepspeed/runtime/zero/stage_1_and_2.py` (`DeepSpeedZeroOptimizer`). All learned values lie in one
flat tensor, padded to twice the ranks; a rank has a master copy in fp32 of its partition, and the
optimizer works on that. Gradients are copied into a bucket of `reduce_bucket_size` elements, taken with
the first gradient of a backward pass; a full bucket is summed, and what belongs to the partition is kept.
Stage 2 does so as gradients come, stage 1 behind the backward pass. The rank shown is one whose partition
touches the most parameters. Updated partitions are gathered in place (`all_gather_into_tensor`), so that
`allgather_bucket_size` takes nothing with any PyTorch of today.
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
from fiche.simulate.placement.stepped import Stepped, shares
from fiche.simulate.placement.storages import held, let_go, num_bytes_of
from fiche.simulate.placement.units import Owned, owners_of
from fiche.simulate.refusal import NotSimulatedError

_MASTER = torch.float32
# NCCL's buffers are aligned to 4 bytes (`nccl_start_alignment_factor`).
_ALIGNED = 2


class Reducer:
    """Buckets, the partition's gradients, and the update of one rank."""

    def __init__(
        self, model: Any, ledger: Ledger, placement: Placement, microbatches: int, made: Any
    ) -> None:
        self._ledger = ledger
        self._placement = placement
        self._settings = placement.settings
        self._early = placement.sharding == "zero2"
        self._offloads = placement.offload == "optimizer"
        self._overlaps = placement.settings.overlap_comm == "yes"
        self._microbatches = microbatches
        self._seen = 0
        self._bucket: list[Any] = []
        self._turn = 0
        self._in_bucket: list[Any] = []
        self._elements = 0
        self._mine: Any = None
        self._offset = 0
        self._kept: list[Any] = []
        owned = [each for _, found in owners_of([model]) for each in found]
        self.learned = self._flattened(owned)
        self._partition = self._flat.numel() // placement.data
        numels = [each.numel() for each in self.learned]
        dealt = shares(numels, self._partition, placement.data)
        self._rank = max(range(placement.data), key=lambda i: sum(numels[j] for j in dealt[i]))
        self._partition_of = {id(self.learned[place]) for place in dealt[self._rank]}
        self._master = self._copied()
        self._optimizer = made([self._master])
        for each in self.learned:
            each.register_post_accumulate_grad_hook(self._arrived)
        buffers_on(model, ledger)

    def stepped(self) -> Stepped:
        """The optimizer that a loop calls."""
        return Stepped(self._optimizer, self._step, self.learned)

    def around(self, backward: Callable[[Any], None]) -> Callable[[Any], None]:
        """A backward pass, and what is reduced behind it."""

        def passed(loss: Any) -> None:
            self._seen += 1
            backward(loss)
            if self._early or self._is_last():
                self._finish()

        return passed

    # --- Made once ------------------------------------------------------------------------------

    def _flattened(self, owned: Sequence[Owned]) -> list[Any]:
        """Learned parameters as views of one tensor; the others stay as they are."""
        ledger = self._ledger
        learned = [each for each in owned if each.parameter.requires_grad]
        formats = {each.parameter.dtype for each in learned}
        if len(formats) != 1:
            raise NotSimulatedError(
                "DeepSpeed flattens parameters of one format, and these have several"
            )
        self._dtype = formats.pop()
        step = _ALIGNED * self._placement.data
        numel = -(-sum(each.parameter.numel() for each in learned) // step) * step
        self._flat = storages.made(ledger, (numel,), self._dtype, "zero.flat_parameters", PARAMETER)
        offset = 0
        for each in owned:
            old = each.parameter
            if not old.requires_grad:
                put = storages.made(ledger, old.shape, old.dtype, "placement.parameter", PARAMETER)
                each.register(torch.nn.Parameter(put, requires_grad=False))
                continue
            view = torch.as_strided(self._flat, tuple(old.shape), old.stride(), offset)
            each.register(torch.nn.Parameter(view))
            offset += old.numel()
        return [each.parameter for each in learned]

    def _copied(self) -> Any:
        """The master copy of the partition, by way of a clone; a first gradient comes and goes."""
        ledger, shape = self._ledger, (self._partition,)
        clone = held(ledger, num_bytes_of(self._partition, self._dtype), "zero.partition_clone")
        if self._offloads:
            master = torch.empty(shape, dtype=_MASTER, device="cpu")
            largest = max(each.numel() for each in self.learned)
            self._passing = storages.made(
                ledger, (largest,), self._dtype, "zero.gradient_to_host", GRADIENT
            )
        elif self._dtype == _MASTER:
            let_go(ledger, clone)
            clone = None
            master = storages.made(ledger, shape, _MASTER, "zero.master_partition", PARAMETER)
        else:
            master = storages.made(ledger, shape, _MASTER, "zero.master_partition", PARAMETER)
        let_go(ledger, clone)
        if not self._offloads:
            first = held(ledger, num_bytes_of(self._partition, _MASTER), "zero.first_gradient")
            let_go(ledger, first)
        return torch.nn.Parameter(master)

    # --- Backward -------------------------------------------------------------------------------

    def _is_last(self) -> bool:
        return self._seen % self._microbatches == 0

    def _arrived(self, parameter: Any) -> None:
        """A gradient is there."""
        if not self._bucket:
            number = 2 if self._overlaps else 1
            self._bucket = [self._new_bucket() for _ in range(number)]
            self._turn = 0
        if self._early or self._overlaps:
            self._take(parameter)

    def _new_bucket(self) -> Any:
        shape = (self._settings.reduce_bucket_size,)
        return storages.made(self._ledger, shape, self._dtype, "zero.reduce_bucket", GRADIENT)

    def _take(self, parameter: Any) -> None:
        """Into the bucket, reduced first where it has no more room; what is larger stays beside it."""
        numel = parameter.numel()
        if self._elements + numel > self._settings.reduce_bucket_size:
            self._reduce()
            self._turn = (self._turn + 1) % len(self._bucket)
        if numel <= self._settings.reduce_bucket_size:
            self._place(parameter, self._bucket[self._turn], self._elements)
        self._elements += numel
        self._in_bucket.append(parameter)

    def _place(self, parameter: Any, where: Any, offset: int) -> None:
        shape, stride = tuple(parameter.shape), parameter.stride()
        parameter.grad = torch.as_strided(where, shape, stride, offset)

    def _reduce(self) -> None:
        """Sum what the bucket has; a flat copy on the way where it belongs to several ranks."""
        ledger = self._ledger
        if not self._in_bucket:
            return
        ranks = {id(each) in self._partition_of for each in self._in_bucket}
        num_bytes = num_bytes_of(self._elements, self._dtype)
        let_go(ledger, held(ledger, num_bytes, "zero.all_reduce") if len(ranks) > 1 else None)
        for each in self._in_bucket:
            if id(each) in self._partition_of:
                self._keep(each)
            elif self._early:
                each.grad = None
        self._in_bucket.clear()
        self._elements = 0

    def _keep(self, parameter: Any) -> None:
        """A gradient of the partition out of the bucket, to where all of them lie."""
        if self._offloads:
            parameter.grad = None
            return
        if self._mine is None:
            numel = sum(each.numel() for each in self.learned if id(each) in self._partition_of)
            self._mine = storages.made(
                self._ledger, (numel,), self._dtype, "zero.partition_gradients", GRADIENT
            )
            self._offset = 0
        self._place(parameter, self._mine, self._offset)
        self._offset += parameter.numel()

    def _finish(self) -> None:
        if not self._early and not self._overlaps:
            for each in self.learned:
                if each.grad is not None:
                    self._take(each)
        self._reduce()
        if not self._kept:
            self._kept = [
                each.grad
                for each in self.learned
                if id(each) in self._partition_of and each.grad is not None
            ]
        for each in self.learned:
            each.grad = None
        self._mine = None
        self._bucket = []

    # --- Update ---------------------------------------------------------------------------------

    def _step(self) -> None:
        """Norms in fp64, the gradients of the partition in one piece and in fp32, then the update."""
        ledger = self._ledger
        for numel in [each.numel() for each in self._kept]:
            let_go(ledger, held(ledger, 8 * numel, "zero.gradient_norm"))
        if self._offloads:
            self._master.grad = torch.empty_like(self._master)
        else:
            self._master.grad = self._one_gradient()
        self._kept = []
        self._optimizer.step()
        self._master.grad = None

    def _one_gradient(self) -> Any:
        ledger, shape = self._ledger, (self._partition,)
        what = "zero.partition_gradient"
        if self._dtype == _MASTER:
            return storages.made(ledger, shape, _MASTER, what, GRADIENT)
        flat = held(ledger, num_bytes_of(self._partition, self._dtype), "zero.flat_gradient")
        made = storages.made(ledger, shape, _MASTER, what, GRADIENT)
        let_go(ledger, flat)
        return made


def share_out(
    model: Any, ledger: Ledger, placement: Placement, microbatches: int, made: Any
) -> tuple[Any, Any, Any]:
    """The model with its weights in one piece, the optimizer of its partition, and what reduces gradients.

    Raises:
        NotSimulatedError: learned parameters have several formats.
    """
    reducer = Reducer(model, ledger, placement, microbatches, made)
    return model, reducer.stepped(), reducer
