"""cuDNN's attention: no row sums where no gradient is wanted. Its workspace is the library's own choice."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Around, Effect


def _apply(around: Around) -> Any:
    made = around.run_unentered()
    if around.argument(4, "compute_log_sumexp", True):
        around.enter(made)
    else:
        around.tally.note()
        around.enter((made[0], *made[2:]))
    return made


MEMBER = Effect(
    name="cudnn_attention",
    says=tell(
        "cuDNN's attention keeps row sums only for a backward pass; its workspace is not known"
    ),
    source="PyTorch aten/src/ATen/native/cudnn/MHA.cpp: run_cudnn_SDP_fprop",
    operators=("aten._scaled_dot_product_cudnn_attention.default",),
    apply=_apply,
)
