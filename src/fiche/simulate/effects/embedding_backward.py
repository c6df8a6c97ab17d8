"""The gradient of an embedding: with many tokens they are sorted, and rows of one token are summed in fp32."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Around, Effect, bytes_of

_UNSORTED = 3072
_ROWS = 10
_FLOAT, _LONG = 4, 8


def _apply(around: Around) -> Any:
    gradient, indices = around.args[:2]
    tokens, place = indices.numel(), indices.element_size()
    counted = bool(around.argument(4, "scale_grad_by_freq", False))
    copies = [bytes_of(each) for each in (gradient, indices) if not each.is_contiguous()]
    if tokens <= _UNSORTED and not counted:
        with around.workspace(*copies):
            return around.run()
    list_bytes = tokens * place
    with around.workspace(*copies, *(3 if counted else 2) * [list_bytes]):
        with around.workspace(list_bytes):
            pass
        made = around.run()
        width = max(gradient.element_size(), _FLOAT)
        kept, last = sums_bytes(tokens, around.args[2], gradient.shape[-1], place, width)
        with around.workspace(list_bytes, _LONG):
            with around.workspace(list_bytes):
                pass
            with around.workspace(*kept, *last):
                return made


def sums_bytes(
    tokens: int, rows: int, width: int, place: int, accumulated: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Bytes of the lists of partial sums, and of the sums: `place` of an index, `accumulated` of a sum."""
    segments = min(tokens, rows)
    partial = tokens // _ROWS + segments
    return (segments * place, segments * place, _LONG), (
        partial * place,
        partial * width * accumulated,
    )


MEMBER = Effect(
    name="embedding_backward",
    says=tell(
        "the gradient of an embedding of more than 3072 tokens sorts them and sums rows in fp32: as "
        "many rows as tokens, and a tenth more; cub's own temporary memory is not counted"
    ),
    source="PyTorch aten/src/ATen/native/cuda/Embedding.cu: embedding_dense_backward_cuda; "
    "EmbeddingBackwardKernel.cu: embedding_backward_cuda_kernel",
    operators=("aten.embedding_dense_backward.default",),
    apply=_apply,
)
