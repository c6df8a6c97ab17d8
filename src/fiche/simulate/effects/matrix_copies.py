"""Operands of a matrix product that cuBLAS cannot read where they lie: a contiguous copy while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Around, Effect, bytes_of


def _apply(around: Around) -> Any:
    first, second = _operands(around)
    with around.workspace(*_copies(first, second)):
        return around.run()


def _operands(around: Around) -> tuple[Any, Any]:
    at = 1 if "add" in around.func._schema.name else 0
    return around.args[at], around.args[at + 1]


def _copies(first: Any, second: Any) -> Iterator[int]:
    """Bytes of each copy; the result is contiguous, so cuBLAS computes its transpose and may read rows."""
    if not first.numel() or not second.numel():
        return
    for each in (first, second):
        if not ((each.is_contiguous() and each.dim() == 2) or _strided(each)):
            yield bytes_of(each)


def _strided(tensor: Any) -> bool:
    """One of the two dimensions is dense, and the other steps over at least its length."""
    rows, columns = tensor.shape[-2:]
    by_row, by_column = tensor.stride()[-2:]
    if by_row == 1 and by_column >= max(1, rows):
        return True
    if by_column == 1 and by_row >= max(1, columns):
        return True
    return bool(tensor.dim() == 3 and tensor.is_contiguous() and by_row and by_column)


MEMBER = Effect(
    name="matrix_copies",
    says=tell("a matrix that is dense in neither of its two dimensions is copied for the product"),
    source="PyTorch aten/src/ATen/native/cuda/Blas.cpp at 002253c: prepare_matrix_for_cublas, "
    "prepare_batch_matrix_for_cublas",
    operators=(
        "aten.mm.default",
        "aten.addmm.default",
        "aten.addmm_.default",
        "aten.bmm.default",
        "aten.baddbmm.default",
        "aten.baddbmm_.default",
    ),
    apply=_apply,
)
