"""Autocast of CUDA on tensors that are not there: its lists of operators, its casts, and what it keeps of them.

The casts stand where PyTorch has them, before autograd and below Python, under a dispatch key that no device
here uses: so a composite in C++ (cross-entropy, an einsum, an LSTM cell) casts inside itself what CUDA casts.

Source: include/ATen/autocast_mode.h of PyTorch 2.13 (the lists and policies) and
aten/src/ATen/autocast_mode.cpp (cached_cast). What is kept are the cast copies of fp32 leaves that learn,
until the outermost context is left.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import FakeTensor

from fiche.simulate.fake.autocast_lists import (
    BANNED,
    FP32,
    FP32_APPENDED,
    FP32_UNLESS_TOLD,
    LOWER_PRECISION,
    WIDEST,
)
from fiche.simulate.ledger.ledger import Ledger

_KEY = torch._C.DispatchKey.AutocastPrivateUse1
_KEYS = torch._C.DispatchKeySet(_KEY)
_NAME = "AutocastPrivateUse1"
_DEVICE = "cuda"


class Autocast:
    """The casts while `installed`, on where the program's autocast of `cuda` is, and the copies kept."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._kept: dict[int, tuple[Any, Any]] = {}

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Within it `torch.autocast("cuda")` casts as on CUDA."""
        library = torch.library.Library("aten", "IMPL")
        others = torch.library.Library("_", "IMPL", _NAME)
        others.fallback(torch.library.fallthrough_kernel)
        for name, kernel in self._kernels():
            library.impl(_operator(name), kernel, _NAME)
        with ExitStack() as stack:
            stack.callback(others._destroy)
            stack.callback(library._destroy)
            stack.callback(_switch, False)
            stack.callback(self._kept.clear)
            for name, function in self._functions():
                stack.enter_context(patch.object(torch, name, function))
            yield

    def _functions(self) -> Iterator[tuple[str, Any]]:
        set_enabled, clear = torch.set_autocast_enabled, torch.clear_autocast_cache

        def set_autocast_enabled(*given: Any) -> None:
            set_enabled(*given)
            _switch(torch.is_autocast_enabled(_DEVICE))

        def clear_autocast_cache() -> None:
            clear()
            self._kept.clear()

        yield "set_autocast_enabled", set_autocast_enabled
        yield "clear_autocast_cache", clear_autocast_cache

    def _kernels(self) -> Iterator[tuple[str, Callable[..., Any]]]:
        policies: tuple[tuple[Any, Callable[[Any], Callable[..., Any]]], ...] = (
            (LOWER_PRECISION, self._lower),
            (FP32, self._fp32),
            (FP32_UNLESS_TOLD, self._told),
            (FP32_APPENDED, self._appended),
            (WIDEST, self._widest),
            (BANNED, _banned),
        )
        for names, policy in policies:
            for name in names:
                yield name, policy(_operator(FP32_APPENDED.get(name, name)))

    # --- Policies -----------------------------------------------------------------------------

    def _lower(self, operator: Any) -> Callable[..., Any]:
        return self._cast_to(operator, lambda _: torch.get_autocast_dtype(_DEVICE))

    def _fp32(self, operator: Any) -> Callable[..., Any]:
        return self._cast_to(operator, lambda _: torch.float32)

    def _widest(self, operator: Any) -> Callable[..., Any]:
        return self._cast_to(operator, _widest_of)

    def _cast_to(self, operator: Any, chosen: Callable[[Any], Any]) -> Callable[..., Any]:
        def kernel(*args: Any, **kwargs: Any) -> Any:
            with torch._C._ExcludeDispatchKeyGuard(_KEYS):
                if self._ledger.inside:
                    return operator(*args, **kwargs)
                dtype = chosen((*args, *kwargs.values()))
                args = tuple(self._cast(each, dtype) for each in args)
                kwargs = {name: self._cast(each, dtype) for name, each in kwargs.items()}
                return operator(*args, **kwargs)

        return kernel

    def _told(self, operator: Any) -> Callable[..., Any]:
        """A result in fp32, unless the program says another; the input as it is."""
        names = [each.name for each in operator._schema.arguments]

        def kernel(*args: Any, **kwargs: Any) -> Any:
            with torch._C._ExcludeDispatchKeyGuard(_KEYS):
                told = dict(zip(names, args, strict=False)).get("dtype") or kwargs.get("dtype")
                if told is None and not self._ledger.inside and _eligible(args[0]):
                    kwargs = {**kwargs, "dtype": torch.float32}
                    args = args[: names.index("dtype")]
                return operator(*args, **kwargs)

        return kernel

    def _appended(self, operator: Any) -> Callable[..., Any]:
        def kernel(*args: Any, **kwargs: Any) -> Any:
            with torch._C._ExcludeDispatchKeyGuard(_KEYS):
                dtype = torch.float32 if _eligible(args[0]) else args[0].dtype
                return operator(*args, **kwargs, dtype=dtype)

        return kernel

    # --- Casts --------------------------------------------------------------------------------

    def _cast(self, value: Any, dtype: Any) -> Any:
        if isinstance(value, tuple | list):
            return [self._cast(each, dtype) for each in value]
        if not _eligible(value) or value.dtype == dtype:
            return value
        if not self._keeps(value, dtype):
            return _cast(value, dtype)
        kept = self._kept.get(id(value))
        if kept is None or kept[0]() is not value:
            kept = self._kept[id(value)] = (weakref.ref(value), _cast(value, dtype))
        return kept[1]

    @staticmethod
    def _keeps(value: Any, dtype: Any) -> bool:
        """True for a leaf in fp32 that learns, cast to the lower precision."""
        return bool(
            value.dtype == torch.float32
            and value.requires_grad
            and value.is_leaf
            and not value._is_view()
            and dtype == torch.get_autocast_dtype(_DEVICE)
            and torch.is_autocast_cache_enabled()
        )


def _switch(on: bool) -> None:
    torch._C._dispatch_tls_set_dispatch_key_included(_KEY, on)
    torch._C._dispatch_tls_set_dispatch_key_excluded(_KEY, not on)


def _cast(value: Any, dtype: Any) -> Any:
    return torch.ops.aten.to.dtype(value, dtype)


def _eligible(value: Any) -> bool:
    """A tensor of floating point on a GPU, and not in fp64."""
    return bool(
        isinstance(value, FakeTensor)
        and value.fake_device.type == "lazy"
        and value.is_floating_point()
        and value.dtype != torch.float64
    )


def _widest_of(values: Any) -> Any:
    """fp32 if any argument has it, else the lower precision."""
    for each in values:
        inner = each if isinstance(each, tuple | list) else (each,)
        if any(_eligible(one) and one.dtype == torch.float32 for one in inner):
            return torch.float32
    return torch.get_autocast_dtype(_DEVICE)


def _operator(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def _banned(operator: Any) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast: "
            "take binary_cross_entropy_with_logits"
        )

    return kernel
