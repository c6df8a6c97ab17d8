"""Where the autograd engine changes a gradient that nothing else holds, instead of making another.

On fake tensors it makes another each time, because any subclass of a tensor might need it. How many
references a gradient has that only the engine holds is asked of PyTorch itself, once.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Around, Effect, in_backward

_ACCUMULATE = 3


def _apply(around: Around) -> Any:
    twin = _TWINS[around.func._schema.name]
    first = around.args[0]
    if not in_backward() or not _free(first) or _of_a_program():
        return around.run()
    return twin(around)


def _added(around: Around) -> Any:
    import torch

    first, second = around.args[0], around.args[1]
    if around.kwargs or not _alike(first, second) or first._use_count() != _held_by_engine()[0]:
        return around.run()
    return around.run_other(torch.ops.aten.add_.Tensor, first, second)


def _put(around: Around) -> Any:
    import torch

    if not around.argument(_ACCUMULATE, "accumulate", False):
        return around.run()
    put = torch.ops.aten._index_put_impl_.default
    return around.run_other(put, *around.args[:_ACCUMULATE], True, True)


def _scattered(around: Around) -> Any:
    import torch

    name, overload = str(around.func).removeprefix("aten.").split(".")
    twin = getattr(getattr(torch.ops.aten, f"{name}_"), overload)
    return around.run_other(twin, *around.args, **around.kwargs)


_TWINS = {
    "aten::add": _added,
    "aten::index_put": _put,
    "aten::scatter_add": _scattered,
    "aten::scatter": _scattered,
}


def _alike(first: Any, second: Any) -> bool:
    import torch

    if not isinstance(second, torch.Tensor):
        return False
    return bool(first.shape == second.shape and first.dtype == second.dtype)


def _free(tensor: Any) -> bool:
    """No other tensor has this storage, and each element has its own place in it."""
    import torch

    if torch.is_grad_enabled() or not tensor.numel():
        return False
    storage = tensor.untyped_storage()
    if tensor.numel() * tensor.element_size() != storage.nbytes() or 0 in tensor.stride():
        return False
    return bool(torch._C._storage_Use_Count(storage._cdata) == _held_by_engine()[1])


def _of_a_program() -> bool:
    """True within a function of the program's own: what it computes there makes results of its own."""
    import torch

    node = torch._C._current_autograd_node()
    return isinstance(node, torch.autograd.function.BackwardCFunction)


@cache
def _held_by_engine() -> tuple[int, int]:
    """References to a gradient that only the engine holds, and to its storage, as an operator sees them."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._python_dispatch import TorchDispatchMode

    seen: list[tuple[int, int]] = []

    class Looking(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if func is torch.ops.aten.add.Tensor:
                storage = args[0].untyped_storage()
                seen.append((args[0]._use_count(), torch._C._storage_Use_Count(storage._cdata)))
            return func(*args, **(kwargs or {}))

    with torch.enable_grad(), FakeTensorMode(), Looking():
        leaf = torch.empty(1, device="cpu", requires_grad=True)
        (leaf * 2.0 - leaf * 3.0).backward()
    return seen[-1]


MEMBER = Effect(
    name="gradients_in_place",
    says=tell(
        "a gradient that arrives by two ways, or is put together from parts, is added up in the "
        "first, where nothing else holds it"
    ),
    source="PyTorch torch/csrc/autograd/input_buffer.cpp: accumulate; FunctionsManual.cpp: "
    "index_backward, gather_backward, value_selecting_reduction_backward",
    operators=(
        "aten.add.Tensor",
        "aten.index_put.default",
        "aten.scatter_add.default",
        "aten.scatter.src",
        "aten.scatter.value",
    ),
    apply=_apply,
    prepare=_held_by_engine,
)
