"""Values that are known although no tensor has any: masks of ones, positions, lengths.

Programs look at such tensors to decide what they run: a mask that hides nothing is dropped, a length is a
number. A tensor that is made of constants alone keeps its values on the host, and operators on nothing but such
tensors are run there too. Random real numbers, weights and what is computed from them stay unknown. Whole
numbers and truths are kept up to a million values, others up to some thousand. Random whole numbers are
drawn on the host from one seed: token ids are ids, whichever they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

_MOST, _MOST_REAL = 2**20, 2**12
_VALUE = "_fiche_value"
_aten = torch.ops.aten
# Made of arguments that are no tensors.
_CONSTANTS = {
    _aten.ones.default,
    _aten.zeros.default,
    _aten.full.default,
    _aten.arange.default,
    _aten.arange.start,
    _aten.arange.start_step,
    _aten.scalar_tensor.default,
    _aten.eye.default,
    _aten.eye.m,
    _aten.linspace.default,
}
# Of their tensor only the shape and the format count.
_ALIKE = {
    _aten.ones_like.default,
    _aten.zeros_like.default,
    _aten.full_like.default,
    _aten.new_ones.default,
    _aten.new_zeros.default,
    _aten.new_full.default,
}
# Of these the result, or its shape, hangs on values.
ANSWERS = {
    _aten._local_scalar_dense.default,
    _aten.equal.default,
    _aten.nonzero.default,
    _aten._unique2.default,
    _aten.unique_dim.default,
    _aten.unique_consecutive.default,
    _aten.masked_select.default,
    _aten.repeat_interleave.Tensor,
    _aten.bincount.default,
}
_UNKNOWN = object()


def _integers(generator: Any, low: int, high: int, shape: Any) -> Any:
    with torch._C._DisableTorchDispatch():
        return torch.randint(low, high, tuple(shape), generator=generator)


def _integers_from_zero(generator: Any, high: int, shape: Any) -> Any:
    return _integers(generator, 0, high, shape)


def _permutation(generator: Any, count: int) -> Any:
    with torch._C._DisableTorchDispatch():
        return torch.randperm(count, generator=generator)


# Whole numbers that a program draws are drawn: which ones is open on a GPU too.
_DRAWN: dict[Any, Callable[..., Any]] = {
    _aten.randint.default: _integers_from_zero,
    _aten.randint.low: _integers,
    _aten.randperm.default: _permutation,
}


class Values:
    """Follows constants from operator to operator."""

    def __init__(self) -> None:
        self._generator = torch.Generator().manual_seed(0)
        self._spoilt: dict[int, Any] = {}
        self._sorts: dict[Any, tuple[bool, bool]] = {}

    def of(self, tensor: Any) -> Any:
        """The values of a tensor as one of the host, None where they are unknown."""
        if not isinstance(tensor, FakeTensor):
            return tensor
        value = tensor.__dict__.get(_VALUE)
        if value is None or value.untyped_storage()._cdata in self._spoilt:
            return None
        return value

    def known(self, func: Any, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
        """The operator's arguments with values in the place of tensors; None where one is unknown."""
        random, mutable = self._sort(func)
        if random:
            if mutable:
                self._spoil(args)
            return (args, kwargs) if func in _DRAWN else None
        if func in _ALIKE:
            args = (torch.empty(args[0].shape, dtype=args[0].dtype, device="meta"), *args[1:])
            return args, {**kwargs, "device": "cpu"}
        if func not in _CONSTANTS and not _has_tensor(args):
            return None
        made = self._valued(args)
        if made is _UNKNOWN:
            if mutable:
                self._spoil(args)
            return None
        told = self._valued(tuple(kwargs.values()))
        if told is _UNKNOWN:
            return None
        named = dict(zip(kwargs, told, strict=True))
        if named.get("device") is not None or func in _CONSTANTS:
            named["device"] = torch.device("cpu")
        return made, named

    def answered(self, func: Any, known: tuple[Any, Any] | None) -> Any:
        """What an operator returns whose result hangs on values: a tensor of the host, a number, or None."""
        if known is None or func not in ANSWERS:
            return None
        return _run(func, known)

    def follow(self, func: Any, known: tuple[Any, Any], made: Any) -> None:
        """Keep the values of what an operator made, where they are few enough."""
        found = list(tensors(made))
        # What is changed in place has few values already, or it would have none.
        if not self._sort(func)[1] and (not found or not all(_kept(each) for each in found)):
            return
        drawn = _DRAWN.get(func)
        made = _run(func, known) if drawn is None else drawn(self._generator, *known[0])
        values = list(tensors(made))
        if len(values) == len(found):
            for tensor, value in zip(found, values, strict=True):
                self.keep(tensor, value)

    def keep(self, tensor: Any, value: Any) -> None:
        """A tensor has these values."""
        alike = value.shape == tensor.shape and value.dtype == tensor.dtype
        if isinstance(tensor, FakeTensor) and alike and not isinstance(value, FakeTensor):
            tensor.__dict__[_VALUE] = value

    def _valued(self, values: Any) -> Any:
        made = []
        for each in values:
            if isinstance(each, torch.Tensor):
                each = self.of(each)
                if each is None:
                    return _UNKNOWN
            elif isinstance(each, list | tuple):
                each = self._valued(each)
                if each is _UNKNOWN:
                    return _UNKNOWN
            elif isinstance(each, torch.device):
                each = torch.device("cpu")
            made.append(each)
        return type(values)(made)

    def _spoil(self, values: Any) -> None:
        """Something unknown was written into one of them: what shares its storage is unknown as well."""
        for tensor in tensors(values):
            value = tensor.__dict__.get(_VALUE) if isinstance(tensor, FakeTensor) else None
            if value is not None:
                # Kept, so that its address is not another's one day.
                storage = value.untyped_storage()
                self._spoilt[storage._cdata] = storage

    def _sort(self, func: Any) -> tuple[bool, bool]:
        found = self._sorts.get(func)
        if found is None:
            random = torch.Tag.nondeterministic_seeded in func.tags
            found = self._sorts[func] = (random, func._schema.is_mutable)
        return found


def _kept(tensor: Any) -> bool:
    real = tensor.dtype.is_floating_point or tensor.dtype.is_complex
    return bool(tensor.numel() <= (_MOST_REAL if real else _MOST))


def _run(func: Any, known: tuple[Any, Any]) -> Any:
    args, kwargs = known
    with torch._C._DisableTorchDispatch():
        try:
            return func(*args, **kwargs)
        except (RuntimeError, TypeError, ValueError, NotImplementedError):
            return None


def _has_tensor(values: Any) -> bool:
    return next(tensors(values), None) is not None


def tensors(values: Any) -> Iterator[Any]:
    """Every tensor among values, lists and tuples."""
    if isinstance(values, torch.Tensor):
        yield values
    elif isinstance(values, list | tuple):
        for each in values:
            yield from tensors(each)
