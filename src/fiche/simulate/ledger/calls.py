"""One call of an operator, and what its schema says of the storages that come of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from fiche.kernel import simulation_notes
from fiche.simulate.fake.devices import stand_in
from fiche.simulate.ledger.values import ANSWERS, tensors
from fiche.simulate.refusal import shortened

if TYPE_CHECKING:
    from fiche.simulate.ledger.ledger import Ledger

# The first that is seen of `torch.tensor(...)`: what it returns was made out of sight.
_LIFTED = torch.ops.aten.lift_fresh.default
ITEM = torch.ops.aten._local_scalar_dense.default
_RESIZES = {torch.ops.aten.resize_, torch.ops.aten.resize_as_}


class Call:
    """One call of an operator that an effect stands around."""

    __slots__ = ("args", "func", "kwargs", "ledger")

    def __init__(self, ledger: Ledger, func: Any, args: Any, kwargs: Any) -> None:
        self.ledger = ledger
        self.func = func
        self.args = args
        self.kwargs = kwargs

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """The operator itself, its outputs entered; with the call's own arguments where none are given."""
        if not args and not kwargs:
            args, kwargs = self.args, self.kwargs
        made = self.ledger.operate(self.func, args, kwargs)
        self.ledger._enter(made, self.func)
        return made

    def on_device(self) -> bool:
        """True where the first tensor among the arguments is on a watched device."""
        return self.device() is not None

    def device(self) -> int | None:
        """The index of the device that the first tensor is on, None where it is on the host."""
        for each in tensors((*self.args, *self.kwargs.values())):
            found = each.fake_device
            return found.index or 0 if found.type == self.ledger.watched else None
        return None


def lays_out(func: Any) -> tuple[tuple[int, str], ...]:
    """Arguments whose storage the operator may make larger: (place, name) of each that takes a result."""
    arguments = func._schema.arguments
    return tuple(
        (place, each.name)
        for place, each in enumerate(arguments)
        if each.is_out or (place == 0 and func.overloadpacket in _RESIZES)
    )


def makes_storages(func: Any) -> bool:
    """False for operators that return only what they were given: views, and changes in place."""
    if func is _LIFTED:
        return True
    returns = func._schema.returns
    return not returns or any(each.alias_info is None for each in returns)


def on_stand_in(kwargs: Any) -> Any:
    """The device in the place of a GPU's, where no function of Python is seen: hooks, the default device."""
    asked = kwargs.get("device")
    if asked is None or asked.type != "cuda":
        return kwargs
    return {**kwargs, "device": stand_in(asked)}


def answered(ledger: Ledger, func: Any, args: Any, known: Any) -> Any:
    """What hangs on values, where they are known; None for all else."""
    if ledger.values is None or func not in ANSWERS:
        return None
    found = ledger.values.answered(func, known)
    if found is None:
        return assumed(ledger, args[0]) if func is ITEM else None
    if not isinstance(found, torch.Tensor | tuple):
        return found
    device = next(tensors(args)).fake_device
    made = tuple(_with(ledger, each, device) for each in tensors(found))
    ledger._enter(made, func)
    return made if isinstance(found, tuple) else made[0]


def _with(ledger: Ledger, value: Any, device: Any) -> Any:
    """A tensor of the device that has these values."""
    shape, stride = value.shape, value.stride()
    made = torch.empty_strided(shape, stride, dtype=value.dtype, device=device)
    if ledger.values is not None:
        ledger.values.keep(made, value)
    return made


def assumed(ledger: Ledger, tensor: Any) -> float | None:
    """What `.item()` of a real number on the device is told: 0.0, and that it was asked is kept.

    Programs print a loss, or count overflows, where nothing that they allocate hangs on it. A whole
    number or a truth may decide a shape or a branch: it is not answered.
    """
    if not isinstance(tensor, FakeTensor) or tensor.constant is not None:
        return None
    if not tensor.dtype.is_floating_point or tensor.fake_device.type != ledger.watched:
        return None
    place = ledger.origins.here(ITEM)
    line = f"{shortened(place.file)}:{place.line}" if place.file else ""
    ledger.values_asked.setdefault(simulation_notes.value_at(line), "0.0")
    return 0.0
