"""FlashAttention's forward pass: partial results where few blocks must fill the card.

Its two tensors of random state are results of the operator and on the device already.
"""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._gpu import Gpu
from fiche.simulate.effects._row import Around, Effect, ceiling, rounded_up

_FLOAT = 4
_MOST_SPLITS = 128


def _apply(around: Around) -> Any:
    query, key = around.args[0], around.args[1]
    dropout = around.argument(3, "dropout_p", 0.0)
    made = around.run()
    with around.workspace(
        *partial_bytes(tuple(query.shape), tuple(key.shape), dropout, around.gpu)
    ):
        return made


def partial_bytes(
    query: tuple[int, ...], key: tuple[int, ...], dropout: float, gpu: Gpu
) -> tuple[int, ...]:
    """Bytes of partial sums and outputs, none where keys are whole. Shapes: batch, heads, length, width."""
    batch, heads, length, width = query
    if dropout or not batch or not length:
        return ()
    if length == 1 and heads > key[1]:
        heads, length = key[1], heads // key[1]  # query heads of one key head become a sequence
    splits = _splits(
        batch * heads * ceiling(length, 64), 2 * gpu.processors, _key_blocks(width, key[2])
    )
    if splits <= 1:
        return ()
    rows = splits * batch * heads * length
    return rows * _FLOAT, rows * rounded_up(width, 32 if width <= 128 else 64) * _FLOAT


def _key_blocks(width: int, keys: int) -> int:
    return ceiling(keys, 256 if width <= 64 else 128 if width <= 128 else 64)


def _splits(blocks: int, processors: int, key_blocks: int) -> int:
    """The fewest splits that fill the processors 85 % as well as the best number does."""
    if 10 * blocks >= 8 * processors:
        return 1
    most = min(_MOST_SPLITS, processors, key_blocks)
    filled: dict[int, tuple[int, int]] = {}
    for splits in range(1, most + 1):
        if splits == 1 or ceiling(key_blocks, splits) != ceiling(key_blocks, splits - 1):
            work = blocks * splits
            filled[splits] = work, ceiling(work, processors) * processors
    best, of = max(filled.values(), key=lambda each: each[0] / each[1])
    return next(s for s, (work, room) in filled.items() if 100 * work * of >= 85 * best * room)


MEMBER = Effect(
    name="flash_attention",
    says=tell(
        "FlashAttention splits long keys where batch and heads are few, and keeps a partial output in "
        "fp32 for each split while it runs; how many hangs on the card's multiprocessors"
    ),
    source="PyTorch aten/src/ATen/native/transformers/cuda/flash_attn/flash_api.cpp at 03b7c19: mha_fwd, "
    "set_params_splitkv, num_splits_heuristic",
    operators=("aten._scaled_dot_product_flash_attention.default",),
    apply=_apply,
)
