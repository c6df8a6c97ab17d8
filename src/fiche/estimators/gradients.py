"""Gradients: one value for each learned parameter (B6, formula sheet 2.5).

`formats.gradient` where the fiche states it; else the format of the parameter, as PyTorch's autograd gives
it, or fp32 under Megatron. Not resident: an optimizer that steps inside the backward pass frees them one by
one, so they may not count in a floor.
"""

from __future__ import annotations

from fiche.estimators._training import GRADIENTS_ALIVE, learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_LEFT_OUT = (tell("a second copy kept by accumulation or by communication"),)


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._states import gradient_bytes

    gradients: Figure = gradient_bytes(workload)
    return (gradients.named("gradients", tell("gradients"), left_out=_LEFT_OUT),)


MEMBER = Estimator(
    name="gradients",
    title="Gradients",
    source="learned parameters x bits / 8 (MISSION B6)",
    per_case=False,
    resident=False,
    applies=learns,
    estimate=_estimate,
    phases=GRADIENTS_ALIVE,
)
