"""Gradients and norms that are one kernel on CUDA, and a chain of operators on other devices."""

from __future__ import annotations

from fiche.kernel.said import tell
from fiche.simulate.effects._row import Effect

MEMBER = Effect(
    name="whole_kernels",
    says=tell(
        "the gradients of SiLU and Mish and the root-mean-square norm are one kernel each: no chain "
        "of operators with a result each"
    ),
    source="PyTorch 2.13 native_functions.yaml: silu_backward, mish_backward, _fused_rms_norm",
    kernels=(
        "aten.silu_backward.default",
        "aten.mish_backward.default",
        "aten._fused_rms_norm.default",
    ),
)
