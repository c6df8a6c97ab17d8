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
# On a tensor its values, on its storage where those are kept: both must be of one, or nothing is known.
_VALUE, _HOST = "_fiche_value", "_fiche_host"
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
# All of their first tensor is written, whatever stood there.
_OVERWRITES = {_aten.copy_.default, _aten.fill_.Scalar, _aten.fill_.Tensor, _aten.zero_.default}
# They give a tensor another storage, or places that nothing was written to.
_UNWRITTEN = {
    _aten.empty_like.default,
    _aten.new_empty.default,
    _aten.new_empty_strided.default,
    *(getattr(_aten.set_, each) for each in _aten.set_.overloads()),
    _aten.resize_.default,
    _aten.resize_as_.default,
}
# Of a norm of batches the running figures, which its schema does not tell.
_RUNNING = {
    _aten.native_batch_norm.default: (3, 4),
    _aten.cudnn_batch_norm.default: (3, 4),
    _aten.miopen_batch_norm.default: (3, 4),
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
        self._sorts: dict[Any, _Sort] = {}

    def of(self, tensor: Any) -> Any:
        """The values of a tensor as one of the host, None where they are unknown."""
        if not isinstance(tensor, FakeTensor):
            return tensor
        value = tensor.__dict__.get(_VALUE)
        if value is None:
            return None
        with torch._C.DisableTorchFunction():
            kept = vars(tensor.untyped_storage()).get(_HOST)
            return value if kept is value.untyped_storage() else None

    def known(self, func: Any, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
        """The operator's arguments with values in the place of tensors; None where one is unknown."""
        sort = self._sort(func)
        known = self._known(func, args, kwargs, sort)
        if sort.written and (known is None or func in _OVERWRITES):
            self._spoil(sort.written_of(args, kwargs))
        return known

    def _known(self, func: Any, args: Any, kwargs: Any, sort: _Sort) -> tuple[Any, Any] | None:
        if sort.random:
            return (args, kwargs) if func in _DRAWN else None
        if func in _UNWRITTEN:
            return None
        if func in _ALIKE:
            args = (torch.empty(args[0].shape, dtype=args[0].dtype, device="meta"), *args[1:])
            return args, {**kwargs, "device": "cpu"}
        if func not in _CONSTANTS and not _has_tensor(args):
            return None
        if func in _OVERWRITES:
            args = (self._to_overwrite(args[0]), *args[1:])
        made = self._valued(args)
        told = _UNKNOWN if made is _UNKNOWN else self._valued(tuple(kwargs.values()))
        if told is _UNKNOWN:
            return None
        named = dict(zip(kwargs, told, strict=True))
        if named.get("device") is not None or func in _CONSTANTS:
            named["device"] = torch.device("cpu")
        return made, named

    def _to_overwrite(self, tensor: Any) -> Any:
        """The tensor, or a place of the host for its values where it has none, and they are few enough."""
        if self.of(tensor) is not None or not _kept(tensor):
            return tensor
        with torch._C._DisableTorchDispatch():
            return torch.empty(tuple(tensor.shape), dtype=tensor.dtype)

    def answered(self, func: Any, known: tuple[Any, Any] | None) -> Any:
        """What an operator returns whose result hangs on values: a tensor of the host, a number, or None."""
        if known is None or func not in ANSWERS:
            return None
        return _run(func, known)

    def follow(self, func: Any, known: tuple[Any, Any], made: Any) -> None:
        """Keep the values of what an operator made, where they are few enough."""
        found = list(tensors(made))
        written = self._sort(func).written
        # What is changed in place has few values already, or it would have none.
        if not written and (not found or not all(_kept(each) for each in found)):
            return
        drawn = _DRAWN.get(func)
        result = _run(func, known) if drawn is None else drawn(self._generator, *known[0])
        if result is None and written:
            self._spoil(found)  # what it would have written there is unknown
        made = result
        values = list(tensors(made))
        if len(values) == len(found):
            for tensor, value in zip(found, values, strict=True):
                self.keep(tensor, value)

    def keep(self, tensor: Any, value: Any) -> None:
        """A tensor has these values."""
        alike = value.shape == tensor.shape and value.dtype == tensor.dtype
        if not isinstance(tensor, FakeTensor) or not alike or isinstance(value, FakeTensor):
            return
        with torch._C.DisableTorchFunction():
            # Where another tensor of this storage has values, they lie in one storage of the host too.
            vars(tensor.untyped_storage()).setdefault(_HOST, value.untyped_storage())
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
            elif isinstance(each, torch.UntypedStorage):
                return _UNKNOWN
            made.append(each)
        return type(values)(made)

    @staticmethod
    def _spoil(values: Any) -> None:
        """Something unknown is written into them: what shares a storage with one is unknown as well."""
        with torch._C.DisableTorchFunction():
            for tensor in tensors(values):
                vars(tensor.untyped_storage()).pop(_HOST, None)

    def _sort(self, func: Any) -> _Sort:
        found = self._sorts.get(func)
        if found is None:
            found = self._sorts[func] = _Sort(func)
        return found


class _Sort:
    """Of an operator, whether it draws, and which arguments it writes into: (place, name) of each."""

    __slots__ = ("random", "written")

    def __init__(self, func: Any) -> None:
        self.random = torch.Tag.nondeterministic_seeded in func.tags
        running = _RUNNING.get(func, ())
        self.written = tuple(
            (place, each.name)
            for place, each in enumerate(func._schema.arguments)
            if (each.alias_info is not None and each.alias_info.is_write) or place in running
        )

    def written_of(self, args: Any, kwargs: Any) -> list[Any]:
        """What one call writes into."""
        return [
            args[place] if place < len(args) else kwargs.get(name) for place, name in self.written
        ]


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
