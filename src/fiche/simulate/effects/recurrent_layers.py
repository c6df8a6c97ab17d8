"""Layers with a state from step to step: counted, for cuDNN runs all steps in one call and here each runs."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Effect


def _compose(composed: Any, *args: Any, **kwargs: Any) -> Any:
    composed.tally.note()
    return composed.usual(*args, **kwargs)


MEMBER = Effect(
    name="recurrent_layers",
    says=tell(
        "a recurrent layer runs step by step, and keeps what each step makes; on CUDA cuDNN runs all steps "
        "in one call, and what that keeps and needs is not counted"
    ),
    source="PyTorch aten/src/ATen/native/RNN.cpp; aten/src/ATen/native/cudnn/RNN.cpp",
    composites=tuple(
        f"aten.{layer}.{form}"
        for layer in ("lstm", "gru", "rnn_tanh", "rnn_relu")
        for form in ("input", "data")
    ),
    compose=_compose,
)
