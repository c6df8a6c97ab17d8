"""The gradients of a norm's gain and bias: partial sums where rows are many and narrow."""

from __future__ import annotations

from typing import Any

from fiche.kernel.said import tell
from fiche.simulate.effects._gpu import Gpu
from fiche.simulate.effects._row import Around, Effect, bytes_of, ceiling

_MANY_ROWS = 64 * 1024
_WARP = 32
_MOST_BLOCKS = 32 * 1024


def partial_bytes(rows: int, width: int, element: int, gpu: Gpu) -> int:
    """Bytes of the partial sums of one gradient, 0 where each is summed at once. `element` is bytes of one."""
    blocks = ceiling(width, _WARP)
    if rows <= _MANY_ROWS or width // _WARP >= gpu.processors // 2:
        return 0
    return min(_MOST_BLOCKS // blocks, ceiling(rows, _WARP)) * width * element


def _apply(around: Around) -> Any:
    gradient, entries, normalised = around.args[:3]
    copies = [bytes_of(each) for each in (gradient, entries) if not each.is_contiguous()]
    with around.workspace(*copies):
        made = around.run()
        width = 1
        for each in normalised:
            width *= each
        learned = [each for each in made[1:] if each is not None and each.numel()]
        held = [
            partial_bytes(entries.numel() // max(1, width), width, each.element_size(), around.gpu)
            for each in learned
        ]
        with around.workspace(*held):
            return made


MEMBER = Effect(
    name="layer_norm_backward",
    says=tell(
        "the backward pass of a norm copies inputs that do not lie in rows, and over more than 65536 "
        "rows that are narrow for the card holds partial sums of the gains' gradients"
    ),
    source="PyTorch aten/src/ATen/native/cuda/layer_norm_kernel.cu: LaunchGammaBetaBackwardCUDAKernel",
    operators=(
        "aten.native_layer_norm_backward.default",
        "aten._fused_rms_norm_backward.default",
    ),
    apply=_apply,
)
