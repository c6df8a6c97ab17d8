"""What Python sees of the GPU that is not there: `cuda` in every argument and every attribute.

A TorchFunctionMode over the ledger. It turns devices of arguments into the one that stands in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.overrides import TorchFunctionMode

from fiche.kernel.said import tell
from fiche.simulate.fake.applied import become
from fiche.simulate.fake.devices import stand_in
from fiche.simulate.ledger.ledger import Ledger
from fiche.simulate.refusal import NotSimulatedError, where

_MOST_ASKED = 2**12
Applied = Callable[["Facade", Any, Any, Any], Any]


class Facade(TorchFunctionMode):  # type: ignore[misc]
    """The functions that ask or move are its own; what CUDA computes otherwise is below it, in the effects."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__()
        self.ledger = ledger
        self._applied: dict[Any, Applied] = dict(_OWN)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run one function of Python."""
        kwargs = kwargs or {}
        if self.ledger.inside:
            return func(*args, **kwargs)
        if "device" in kwargs:
            kwargs = {**kwargs, "device": stand_in(kwargs["device"])}
        if kwargs.get("generator") is not None:
            kwargs = {**kwargs, "generator": None}
        if kwargs.get("pin_memory"):
            kwargs = {**kwargs, "pin_memory": False}
        apply = self._applied.get(func)
        if apply is not None:
            try:
                return apply(self, func, args, kwargs)
            except NotSimulatedError as refused:
                self.ledger.refused = self.ledger.refused or refused
                raise
        return func(*args, **kwargs)


# --- Functions that move or ask ----------------------------------------------------------------


def _to(facade: Facade, func: Any, args: Any, kwargs: Any) -> Any:
    """`Tensor.to`: its second argument may be a device, also as a number or another tensor."""
    return func(*(stand_in(each) if i == 1 else each for i, each in enumerate(args)), **kwargs)


def _cuda(facade: Facade, func: Any, args: Any, kwargs: Any) -> Any:
    asked = args[1] if len(args) > 1 else kwargs.get("device")
    return args[0].to(device=stand_in("cuda" if asked is None else asked))


def _get_device(facade: Facade, func: Any, args: Any, kwargs: Any) -> int:
    device = args[0].device
    return device.index or 0 if device.type == "cuda" else -1


def _itself(facade: Facade, func: Any, args: Any, kwargs: Any) -> Any:
    return args[0]


def _false(facade: Facade, func: Any, args: Any, kwargs: Any) -> bool:
    return False


def _backward(facade: Facade, func: Any, args: Any, kwargs: Any) -> None:
    """The backward pass with this mode on: checkpointed code runs again in it."""
    names = ("gradient", "retain_graph", "create_graph", "inputs")
    given = {**dict(zip(names, args[1:], strict=False)), **kwargs}
    with facade:
        torch.autograd.backward(
            args[0],
            given.get("gradient"),
            given.get("retain_graph"),
            bool(given.get("create_graph")),
            inputs=given.get("inputs"),
        )


def _values(facade: Facade, func: Any, args: Any, kwargs: Any) -> Any:
    known = facade.ledger.values and facade.ledger.values.of(args[0])
    if known is not None:
        # The ledger would make a tensor without storage of it, and the bytes at no address would be read.
        with torch._C._DisableTorchDispatch():
            return func(known, *args[1:], **kwargs)
    told = where(f"Tensor.{func.__name__}", facade.ledger.origins)
    raise NotSimulatedError(f"{told} asks for the values of a tensor, and a simulation has none")


def _finite(facade: Facade, func: Any, args: Any, kwargs: Any) -> Any:
    """Numbers are taken to be finite, as those that are told are: a program stops where its loss is not."""
    made = func(*args, **kwargs)
    values = facade.ledger.values
    if values is not None and values.of(args[0]) is None and made.numel() <= _MOST_ASKED:
        facade.ledger.values_asked.setdefault(tell("whether numbers are finite"), tell("they are"))
        truth = func in (torch.isfinite, torch.Tensor.isfinite)
        with torch._C._DisableTorchDispatch():
            told = torch.full(tuple(made.shape), truth)
        values.keep(made, told)
    return made


def _deepcopy(facade: Facade, func: Any, args: Any, kwargs: Any) -> Any:
    """A copy with a storage of its own, which holds as much as the first, and once for all that share it."""
    tensor, memo = args
    if id(tensor) in memo:
        return memo[id(tensor)]
    with torch.no_grad():
        copied = _copied(tensor, memo).requires_grad_(tensor.requires_grad)
    memo[id(tensor)] = copied
    if tensor.grad is not None:
        copied.grad = _deepcopy(facade, func, (tensor.grad, memo), kwargs)
    return copied


def _copied(tensor: Any, memo: dict[Any, Any]) -> Any:
    """By operators: a storage of fake values has none to copy. In `memo` PyTorch keeps storages too."""
    if tensor.layout is not torch.strided:
        return tensor.clone()
    storage, kept = tensor.untyped_storage(), memo.setdefault("torch", {})
    whole = kept.get(storage._cdata)
    if whole is None:
        if tensor.numel() * tensor.element_size() == storage.nbytes():
            whole = tensor.clone()
        else:
            whole = torch.empty(storage.nbytes(), dtype=torch.uint8, device=tensor.device)
        kept[storage._cdata] = whole
        # As long as the address stands for it.
        memo.setdefault(id(memo), []).append(tensor)
        if whole.dtype == tensor.dtype and whole.stride() == tensor.stride():
            return whole.detach()
    made = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    place = tensor.storage_offset(), tuple(tensor.shape), tensor.stride()
    return made.set_(whole.untyped_storage(), *place)


def _set_data(facade: Facade, func: Any, args: Any, kwargs: Any) -> None:
    """`tensor.data = other`: PyTorch refuses it for fake tensors of two devices."""
    tensor, made = args
    devices = {each.fake_device for each in args if isinstance(each, FakeTensor)}
    if len(devices) < 2:
        func(*args, **kwargs)
        return
    if tensor.grad is not None:
        told = where("Tensor.data", facade.ledger.origins)
        raise NotSimulatedError(
            f"{told} moves a tensor away from its gradient: that is not simulated"
        )
    with torch.no_grad():
        become(tensor, made)


_OWN: dict[Any, Applied] = {
    torch.Tensor.__deepcopy__: _deepcopy,
    torch.Tensor.data.__set__: _set_data,
    torch.Tensor.to: _to,
    torch.Tensor.cuda: _cuda,
    torch.Tensor.get_device: _get_device,
    torch.Tensor.pin_memory: _itself,
    torch.Tensor.is_pinned: _false,
    torch.Tensor.backward: _backward,
    torch.Tensor.numpy: _values,
    torch.Tensor.tolist: _values,
    **dict.fromkeys((torch.isfinite, torch.isinf, torch.isnan), _finite),
    **dict.fromkeys((torch.Tensor.isfinite, torch.Tensor.isinf, torch.Tensor.isnan), _finite),
}
