"""Sums, means, norms and maxima: what several blocks stage for one result."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._reduction import staging_bytes
from fiche.simulate.effects._row import Around, Effect

# Bytes of a partial result: a number in fp32 (8 for fp64 and integers), or one with its place.
_WITH_PLACE = 16
_PLACED = ("aten::argmax", "aten::argmin", "aten::max", "aten::min")
_AT_SECOND = ("aten::linalg_vector_norm",)


def _apply(around: Around) -> Any:
    entries = around.args[0]
    name = around.func._schema.name
    made = around.run()
    if around.device() is None or not entries.numel():
        return made
    dims = around.argument(2 if name in _AT_SECOND else 1, "dim")
    dims = () if dims is None else (dims,) if isinstance(dims, int) else tuple(dims)
    shape, strides = tuple(entries.shape), entries.stride()
    accumulated = _accumulated(name, entries)
    with around.workspace(*staging_bytes(shape, strides, dims, accumulated, around.gpu)):
        return made


def _accumulated(name: str, entries: Any) -> int:
    if name in _PLACED:
        return _WITH_PLACE
    wide = entries.element_size() == 8 or not entries.is_floating_point()
    return 8 if wide else 4


MEMBER = Effect(
    name="reductions",
    says=tell(
        "a sum, mean, norm or maximum over many values of few results is staged by several blocks; "
        "how many hangs on the card's multiprocessors"
    ),
    source="PyTorch 2.13 include/ATen/native/cuda/Reduce.cuh: setReduceConfig, gpu_reduce_kernel",
    operators=(
        "aten.sum.default",
        "aten.sum.dim_IntList",
        "aten.mean.default",
        "aten.mean.dim",
        "aten.linalg_vector_norm.default",
        "aten.argmax.default",
        "aten.argmin.default",
        "aten.max.dim",
        "aten.min.dim",
    ),
    apply=_apply,
)
