"""The softmax of attention by parts: it looks for rows that a mask leaves empty."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Around, Effect


def _apply(around: Around) -> Any:
    made = around.run()
    entries = made.numel()
    row = made.shape[around.argument(1, "dim")] if made.dim() else 1
    with around.workspace(entries, entries // max(1, row), made.element_size()):
        return made


MEMBER = Effect(
    name="safe_softmax",
    says=tell(
        "the softmax of attention by parts marks each element that is minus infinity, one byte each, "
        "and each row"
    ),
    source="PyTorch aten/src/ATen/native/transformers/attention.cpp: _safe_softmax",
    operators=("aten._safe_softmax.default",),
    apply=_apply,
)
