"""Adding at indices: CUDA sorts them, so that equal ones meet."""

from __future__ import annotations

from math import prod
from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Around, Effect, bytes_of

_LONG = 8
_LISTS = 4


def _apply(around: Around) -> Any:
    if not around.argument(3, "accumulate", False):
        return around.run()
    into, indices, values = around.args[:3]
    given = [each for each in indices if each is not None]
    if not given or any(each.dtype.itemsize == 1 for each in given):
        return around.run()  # how many a mask selects is not known
    count = prod(_broadcast([tuple(each.shape) for each in given]))
    copies = [] if _adjacent(indices) else [bytes_of(into)]
    whole = count * prod(_left(tuple(into.shape), indices)) * values.element_size()
    if values.numel() * values.element_size() != whole or not values.is_contiguous():
        copies.append(whole)
    with around.workspace(*_LISTS * [count * _LONG], *copies):
        return around.run()


def _broadcast(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    import torch

    return tuple(torch.broadcast_shapes(*shapes))


def _left(shape: tuple[int, ...], indices: Any) -> list[int]:
    """The dimensions that no index goes over."""
    taken = {at for at, each in enumerate(indices) if each is not None}
    return [length for at, length in enumerate(shape) if at not in taken]


def _adjacent(indices: Any) -> bool:
    taken = [at for at, each in enumerate(indices) if each is not None]
    return taken[-1] - taken[0] == len(taken) - 1


MEMBER = Effect(
    name="index_put_accumulate",
    says=tell(
        "adding at indices holds four lists of them while they are sorted, a full copy of values that "
        "are broadcast, and a copy of the target where the indices are of dimensions apart; cub's own "
        "temporary memory is not counted"
    ),
    source="PyTorch aten/src/ATen/native/cuda/Indexing.cu: index_put_with_sort_kernel",
    operators=(
        "aten.index_put.default",
        "aten.index_put_.default",
        "aten._index_put_impl_.default",
        "aten._unsafe_index_put.default",
    ),
    apply=_apply,
)
