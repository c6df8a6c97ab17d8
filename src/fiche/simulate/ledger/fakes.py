"""Fake tensors of devices that are not there, and operators remembered: none is worked out twice.

PyTorch keeps what its fake tensors return by all that it depends on: the operator, and the format, shape and
device of each argument. It spends more time on asking for that than on anything else. Here the same is asked
for in fewer steps, and only what PyTorch itself has kept is kept. All else goes its usual way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, extract_tensor_metadata

from fiche.simulate.ledger.values import tensors

_PLAIN = frozenset(
    {
        bool,
        int,
        float,
        complex,
        str,
        type(None),
        torch.device,
        torch.dtype,
        torch.layout,
        torch.memory_format,
    }
)
_BY_STORAGE = {
    torch.ops.aten.set_.source_Storage,
    torch.ops.aten.set_.source_Storage_storage_offset,
}
_Recipe = Callable[[Any], Any]
_make_subclass = torch.Tensor._make_subclass
_empty_strided = torch.empty_strided


class Fakes(FakeTensorMode):  # type: ignore[misc]
    """The mode of a simulated run: no device is ever initialised, whatever `torch.cuda` says of itself."""

    def __init__(self) -> None:
        super().__init__(allow_non_fake_inputs=True)
        self._recipes: dict[Any, _Recipe | None] = {}

    @property
    def avoid_device_init(self) -> bool:
        """No device is ever initialised."""
        return True

    def __deepcopy__(self, memo: Any) -> Fakes:
        """Itself: a tensor that is copied stays in the mode that its original is in."""
        return self

    def dispatch(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What the operator returns."""
        kwargs = kwargs or {}
        if func in _BY_STORAGE:
            # What PyTorch would keep the result by holds the storage, which would never end.
            return self._dispatch_impl(func, types, args, kwargs)
        key = self._key(func, args, kwargs)
        if key is None:
            return super().dispatch(func, types, args, kwargs)
        recipe = self._recipes.get(key)
        if recipe is not None:
            return recipe(args)
        if key in self._recipes:
            return self._dispatch_impl(func, types, args, kwargs)
        return self._learn(key, func, types, args, kwargs)

    # --- What an operator's result depends on ---------------------------------------------------

    def _key(self, func: Any, args: Any, kwargs: Any) -> Any:
        """None where there is something that PyTorch itself would not keep a result by."""
        parts = [
            func,
            torch.get_default_dtype(),
            torch._C._get_default_device(),
            torch.is_inference_mode_enabled(),
        ]
        if not self._add(parts, args):
            return None
        if kwargs:
            parts.extend(kwargs)
            if not self._add(parts, kwargs.values()):
                return None
        return tuple(parts)

    def _add(self, parts: list[Any], values: Any) -> bool:
        for value in values:
            kind = type(value)
            if kind is FakeTensor:
                if value.fake_mode is not self or value.constant is not None:
                    return False
                if value.layout is not torch.strided:
                    return False
                parts += (
                    value.dtype,
                    value.shape,
                    value.stride(),
                    value.storage_offset(),
                    value.untyped_storage().nbytes(),
                    value._fake_device,
                    value.requires_grad,
                    value.is_conj(),
                    value.is_neg(),
                    value.is_inference(),
                )
            elif kind in _PLAIN:
                # 1, 1.0 and True are equal, and differ in what comes of them.
                parts += (kind, value)
            elif kind is list or kind is tuple or kind is torch.Size:
                parts += (kind, len(value))
                if not self._add(parts, value):
                    return False
            else:
                return False
        return True

    # --- How it is made again -------------------------------------------------------------------

    def _learn(self, key: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        theirs = self._their_key(func, args, kwargs)
        made = super().dispatch(func, types, args, kwargs)
        if theirs is not None:
            entry = FakeTensorMode.cache.get(theirs)
            if entry is not None:
                self._recipes[key] = self._recipe(entry, func, args) or self._further(
                    entry, func, args, made
                )
        return made

    def _their_key(self, func: Any, args: Any, kwargs: Any) -> Any:
        try:
            return self._cache_key(fake_tensor._CacheKeyState(None), func, args, kwargs)
        except (AttributeError, TypeError, fake_tensor._BypassDispatchCache):
            return None

    def _recipe(self, entry: Any, func: Any, args: Any) -> _Recipe | None:
        """From what PyTorch has kept of a call; None where it has kept that it keeps nothing."""
        outputs = getattr(entry, "output_infos", None)
        if outputs is None:
            return None
        state = fake_tensor._CacheKeyState(None)
        if any(
            each.metadata and (each.metadata.is_conj or each.metadata.is_neg) for each in outputs
        ):
            return lambda args: self._output_from_cache_entry(state, entry, None, func, args)
        made = [self._output(each, state, func, args) for each in outputs]
        if not entry.is_output_tuple:
            return made[0]
        return lambda args: tuple([each(args) for each in made])

    def _further(self, entry: Any, func: Any, args: Any, made: Any) -> _Recipe | None:
        """Two sorts that PyTorch does not keep, and are as plain: flattened products, and lists of tensors."""
        reason = getattr(entry, "reason", "")
        if reason == "unsafe view":
            return self._tensor(extract_tensor_metadata(made), made, 0)
        if reason != "non-FakeTensor output" or type(made) is not list:
            return None
        if any(type(each) is not FakeTensor or each.is_conj() or each.is_neg() for each in made):
            return None
        if not func.is_view and not _all_new(made, args):
            return None
        view = 0 if func.is_view else None
        several = [self._tensor(extract_tensor_metadata(each), each, view) for each in made]
        return lambda args: [each(args) for each in several]

    def _output(self, kept: Any, state: Any, func: Any, args: Any) -> _Recipe:
        place, metadata, view = kept.inplace_idx, kept.metadata, kept.view_idx
        if place is not None:
            return lambda args: args[place]
        if metadata is None:
            constant = self._get_output_tensor_from_cache_entry(state, kept, None, func, args)
            return lambda args: constant
        like = self._get_output_tensor_from_cache_entry(state, kept, None, func, args)
        return self._tensor(metadata, like, view if func.is_view else None)

    def _tensor(self, metadata: Any, like: Any, view: int | None) -> _Recipe:
        """Tensors as one that PyTorch has made of the same."""
        shape, stride, offset = metadata.shape, metadata.stride, metadata.storage_offset
        dtype, device, learns = metadata.dtype, metadata.device, metadata.requires_grad
        attributes = dict(like.__dict__)
        if self._allow_unsafe_data_ptr_access:
            guarded = torch._C._set_warn_deprecated_on_mutable_data_ptr
        else:
            guarded = torch._C._set_throw_on_mutable_data_ptr

        def made(args: Sequence[Any]) -> Any:
            with torch._C._DisableTorchDispatch():
                self.in_kernel_invocation = True
                try:
                    empty = _empty_strided(
                        shape, stride, dtype=dtype, device="meta", requires_grad=learns
                    )
                    if view is not None:
                        empty.set_(args[view].untyped_storage(), offset, shape, stride)
                finally:
                    self.in_kernel_invocation = False
                tensor = _make_subclass(
                    FakeTensor,
                    empty,
                    learns,
                    dispatch_device=True,
                    device_for_backend_keys=device,
                )
            guarded(tensor)
            tensor.__dict__.update(attributes)
            return tensor

        return made


def _all_new(made: Sequence[Any], args: Any) -> bool:
    """True where each tensor has a storage of its own, and none of them came in."""
    found = [each.untyped_storage()._cdata for each in made]
    given = [each.untyped_storage()._cdata for each in tensors(args)]
    return len(set(found)) == len(found) and not set(found) & set(given)
