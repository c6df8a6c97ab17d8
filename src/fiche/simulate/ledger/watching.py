"""Learns what storages are for: from modules, optimizers, backward passes and caches as they go by."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers

from fiche.kernel.said import tell
from fiche.simulate.ledger.kinds import (
    ACTIVATION,
    BUFFER,
    CACHE,
    GRADIENT,
    OPTIMIZER_STATE,
    PARAMETER,
)
from fiche.simulate.ledger.ledger import Ledger

_NAME = "_fiche_path"


@contextmanager
def watching(ledger: Ledger) -> Iterator[None]:
    """Within it entries are told their kinds, and the ledger knows which module runs."""
    watch = _Watch(ledger)
    with ExitStack() as stack:
        for handle in (
            modules.register_module_parameter_registration_hook(watch.parameter),
            modules.register_module_buffer_registration_hook(watch.buffer),
            optimizers.register_optimizer_step_pre_hook(watch.before_step),
            optimizers.register_optimizer_step_post_hook(watch.after_step),
        ):
            stack.callback(handle.remove)
        stack.enter_context(patch.object(torch.nn.Module, "__call__", watch.called))
        stack.enter_context(patch.object(torch.autograd, "backward", watch.backward))
        stack.enter_context(patch.object(torch.UntypedStorage, "resize_", watch.resized))
        watch.library(stack)
        ledger.settle = watch.settled
        yield


class _Watch:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._parameters: dict[int, weakref.ref[Any]] = {}
        self._backward = torch.autograd.backward
        path, call = ledger.origins.modules, torch.nn.Module._wrapped_call_impl

        def called(module: Any, *args: Any, **kwargs: Any) -> Any:
            name = module.__dict__.get(_NAME)
            if name is None or not path:
                name = _named(module)
                self.imported()
            path.append(name)
            try:
                return call(module, *args, **kwargs)
            finally:
                path.pop()

        resize = torch.UntypedStorage.resize_

        def resized(storage: Any, num_bytes: int) -> Any:
            made = resize(storage, num_bytes)
            ledger.resized(storage)
            return made

        self.called, self.resized = called, resized
        self._stack = ExitStack()
        self._awaited = {
            "transformers.cache_utils": self._caches,
            "transformers.utils.import_utils": self._fakes,
            "transformers.generation.stopping_criteria": self._stopping,
        }

    def library(self, stack: ExitStack) -> None:
        """Caches of transformers are known as such, until the stack is left."""
        self._stack = stack
        self.imported()

    def imported(self) -> None:
        """Look for what the program has imported since: it may do so at any time."""
        for name in [name for name in self._awaited if name in sys.modules]:
            self._awaited.pop(name)(sys.modules[name])

    def _caches(self, library: Any) -> None:
        changed = self.updated(library.Cache.update)
        self._stack.enter_context(patch.object(library.Cache, "update", changed))

    def _fakes(self, library: Any) -> None:
        """A program that is told of fake tensors runs other code than it runs on a GPU."""
        if self._ledger.values is not None and hasattr(library, "is_fake_tensor"):
            self._stack.enter_context(patch.object(library, "is_fake_tensor", lambda _: False))

    def parameter(self, module: Any, name: str, parameter: Any) -> None:
        if parameter is not None:
            self._parameters[id(parameter)] = weakref.ref(parameter)
            self._ledger.mark((parameter,), PARAMETER, over=True)

    def buffer(self, module: Any, name: str, buffer: Any) -> None:
        self._ledger.mark((buffer,), BUFFER)

    def backward(self, *args: Any, **kwargs: Any) -> None:
        """What is alive when it begins is what it was kept for; gradients are those it leaves behind."""
        self.settled()
        entries = self._ledger.entries
        for entry in self._ledger.living():
            entries.tell(entry, ACTIVATION)
        try:
            self._backward(*args, **kwargs)
        finally:
            self.settled()

    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.settled()

    def after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        for state in optimizer.state.values():
            self._ledger.mark(_flat(state), OPTIMIZER_STATE)

    def updated(self, usual: Callable[..., Any]) -> Callable[..., Any]:
        ledger = self._ledger

        def update(cache: Any, *args: Any, **kwargs: Any) -> Any:
            made = usual(cache, *args, **kwargs)
            layers = getattr(cache, "layers", ())
            place = kwargs.get("layer_idx", args[2] if len(args) > 2 else None)
            if isinstance(place, int) and place < len(layers):
                ledger.mark(_flat(list(vars(layers[place]).values())), CACHE)
            return made

        return update

    def settled(self) -> None:
        """Parameters as they are now, for a program may give them other values, and their gradients."""
        for found in self._parameters.values():
            parameter = found()
            if parameter is not None:
                self._ledger.mark((parameter,), PARAMETER, over=True)
                self._ledger.mark((parameter.grad,), GRADIENT, over=True)

    def _stopping(self, library: Any) -> None:
        """No end of a sequence is ever drawn: a generation goes on for as long as it may."""

        def never(criterion: Any, input_ids: Any, *_: Any, **__: Any) -> Any:
            told = tell("none is generated: it runs to its longest")
            self._ledger.values_asked.setdefault(tell("the token that ends a sequence"), told)
            return torch.zeros(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)

        found = getattr(library, "EosTokenCriteria", None)
        if self._ledger.values is not None and found is not None:
            self._stack.enter_context(patch.object(found, "__call__", never))


def _named(module: Any) -> str:
    """The module's path; on the way each module beneath it is told its own."""
    told = module.__dict__.get(_NAME)
    if told:
        return str(told)
    root = type(module).__name__
    for name, each in module.named_modules():
        each.__dict__[_NAME] = name or root
    return root


def _flat(values: Any) -> Iterator[Any]:
    if isinstance(values, torch.Tensor):
        yield values
    elif isinstance(values, dict):
        yield from _flat(list(values.values()))
    elif isinstance(values, Iterable) and not isinstance(values, str | bytes):
        for each in values:
            yield from _flat(each)
