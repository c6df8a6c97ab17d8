"""Fully sharded training (FSDP2), one rank: when each unit is gathered, prefetched, reduced and given back.

The order of events is that of `torch/distributed/fsdp/_fully_shard` (PyTorch 2.13): `FSDPState` for hooks,
`FSDPParamGroup` for gathering and reducing. A unit gathers before its forward pass and gives back after
it, unless it is the root; before its backward pass it gathers again, and the unit before it is prefetched;
when the gradients of its inputs are there, its own are reduced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from fiche.simulate.ledger.ledger import Ledger
from fiche.simulate.placement import storages
from fiche.simulate.placement.asked import Placement
from fiche.simulate.placement.devices import buffers_on
from fiche.simulate.placement.gathered import Gathered, Mixed, gathered_of
from fiche.simulate.placement.units import layers_of, owners_of, replaced, tensors_in

FORWARD, BEFORE_BACKWARD, AFTER_BACKWARD, IDLE = "forward", "before", "after", "idle"


@dataclass
class Shared:
    """What the units of one model share: the order of the pass, and the buffers in flight."""

    ledger: Ledger
    microbatches: int
    order: list[Unit] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    kept_gather: int | None = None
    scattering: list[int | None] = field(default_factory=list)
    queued: bool = False
    seen: int = 0
    running: Unit | None = None

    def reduces(self) -> bool:
        """True in the backward pass of an update's last microbatch."""
        return self.seen % self.microbatches == 0

    def finish(self) -> None:
        """What the engine calls when a backward pass is over: units that no input led back to, and buffers."""
        for unit in self.units:
            if unit.state != AFTER_BACKWARD:
                unit.after_backward()
            unit.state = IDLE
            unit.forget()
        self.order.clear()
        while self.scattering:
            storages.let_go(self.ledger, self.scattering.pop(0))
        self.queued = False


class Unit:
    """The parameters of one module that no inner unit has, gathered and reduced together."""

    def __init__(self, shared: Shared, parts: Gathered, *, root: bool, reshards: bool) -> None:
        self.shared = shared
        self.parts = parts
        self.root = root
        self.reshards = reshards
        self.state = IDLE
        self._places: list[int] = []

    # --- Hooks ----------------------------------------------------------------------------------

    def before_forward(self, module: Any, args: Any, kwargs: Any) -> Any:
        """Gather, and be told when the gradients of the inputs are there."""
        if self.state == BEFORE_BACKWARD:  # layers run again; the backward hook has gathered
            if not self.parts.is_whole:
                self.parts.gather()
                self.parts.take()
            return self._cast(args, kwargs)
        if self.root and torch.is_grad_enabled():
            self.shared.seen += 1
        args, kwargs = self._cast(args, kwargs)
        self.state = FORWARD
        self.parts.gather()
        self._take()
        return self._told(args, kwargs)

    def after_forward(self, module: Any, args: Any, kwargs: Any, output: Any) -> None:
        """Give back, and be told when the gradients of the outputs are there."""
        if self.state == BEFORE_BACKWARD:
            return
        if torch._C._current_graph_task_id() == -1:
            if self.reshards:
                self.parts.give_back()
            self._places.append(len(self.shared.order))
            self.shared.order.append(self)
        self.state = IDLE
        if torch.is_grad_enabled():
            for tensor in tensors_in(output):
                if tensor.requires_grad:
                    tensor.register_hook(self._before_backward)
        if self.root:
            storages.let_go(self.shared.ledger, self.shared.kept_gather)
            self.shared.kept_gather = None
            if not torch.is_grad_enabled():
                self.shared.order.clear()
                for unit in self.shared.units:
                    unit.forget()

    def after_backward(self) -> None:
        """Reduce what gradients there are; without reduction they stay, whole."""
        self.state = AFTER_BACKWARD
        self.parts.accumulate()
        reduces = self.shared.reduces()
        gradients = self.parts.gradients() if reduces else []
        self.parts.give_back()
        if not reduces:
            self.parts.keep_gradients()
            return
        while self.shared.scattering:
            storages.let_go(self.shared.ledger, self.shared.scattering.pop(0))
        if gradients:
            self.shared.scattering.append(self.parts.reduce(gradients))

    def forget(self) -> None:
        """A prefetch that nobody waited for, and the places in an order that is over."""
        self.parts.drop()
        self._places.clear()

    # --- Parts of them --------------------------------------------------------------------------

    def _before_backward(self, gradient: Any) -> None:
        if not self.shared.queued:
            self.shared.queued = True
            torch.autograd.Variable._execution_engine.queue_callback(self.shared.finish)
        if self.state == BEFORE_BACKWARD:
            return
        self.state = BEFORE_BACKWARD
        self.parts.gather()
        self._take()
        if self._places:
            place = self._places.pop()
            if place:
                self.shared.order[place - 1].parts.gather()

    def _take(self) -> None:
        """In the forward pass the gathered buffer outlives the copies out of it until the next unit's are over.

        `FSDPParamGroup.wait_for_unshard` still holds the last unit's buffer while it copies out of this
        one's.
        """
        if not self.parts.is_gathering:
            return
        shared = self.shared
        if self.state == FORWARD:
            before, shared.kept_gather = shared.kept_gather, self.parts.take(keep=True)
            storages.let_go(shared.ledger, before)
        else:
            self.parts.take()

    def _cast(self, args: Any, kwargs: Any) -> Any:
        dtype = self.parts.mixed.parameter
        if dtype is None:
            return args, kwargs

        def cast(tensor: Any) -> Any:
            floating = torch.is_floating_point(tensor)
            return tensor.to(dtype) if floating and tensor.dtype != dtype else tensor

        return replaced(args, cast), replaced(kwargs, cast)

    def _told(self, args: Any, kwargs: Any) -> Any:
        if not torch.is_grad_enabled():
            return args, kwargs
        inputs = [each for each in tensors_in((args, kwargs)) if each.requires_grad]
        if not inputs:
            return args, kwargs
        passed = iter(_Passed.apply(self, *inputs))
        changed: Callable[[Any], Any] = lambda each: next(passed) if each.requires_grad else each  # noqa: E731
        return replaced(args, changed), replaced(kwargs, changed)


class _Passed(torch.autograd.Function):  # type: ignore[misc]
    """Hands its inputs on; in the backward pass it is where a unit is over."""

    @staticmethod
    def forward(ctx: Any, unit: Unit, *inputs: Any) -> Any:
        ctx.unit = unit
        return inputs

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        ctx.unit.after_backward()
        return (None, *gradients)


def share_out(model: Any, ledger: Ledger, placement: Placement, microbatches: int) -> Any:
    """The model, its units sharded over the ranks; every parameter is then this rank's shard.

    The model comes from the host's memory, as accelerate loads one for `fully_shard`: whole on no device.

    Raises:
        NotSimulatedError: a parameter cannot be sharded so.
    """
    shared = Shared(ledger, microbatches if placement.with_accumulation() else 1)
    mixed = Mixed.of(placement.settings)
    auto = placement.settings.reshard_after_forward
    made: dict[int, Unit] = {}
    for module, owned in owners_of((*layers_of(model), model)):
        root = module is model
        parts = gathered_of(owned, ledger, placement, mixed)
        reshards = auto == "yes" or (auto == "auto" and not root)
        made[id(module)] = Unit(shared, parts, root=root, reshards=reshards)
        _hook(module, made[id(module)])
    shared.units = [made[id(each)] for each in model.modules() if id(each) in made]
    buffers_on(model, ledger)
    return model


def _hook(module: Any, unit: Unit) -> None:
    module.register_forward_pre_hook(unit.before_forward, with_kwargs=True)
    module.register_forward_hook(unit.after_forward, with_kwargs=True)
