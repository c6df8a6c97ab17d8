"""Master weights: a copy of the learned parameters in a wider format, which the optimizer updates (B6).

Where the fiche states `formats.master`, or the engine keeps one in fp32 beside 16-bit weights: Megatron (18
bytes a parameter; 6 + 12 / d with its distributed optimizer) and DeepSpeed (ZeRO). PyTorch alone keeps none.
"""

from __future__ import annotations

from fiche.estimators._reading import word
from fiche.estimators._training import AFTER_A_STEP, learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._states import master_bytes

    copy: Figure = master_bytes(workload)
    return (copy.named("master_weights", tell("master copy of the learned parameters")),)


def _applies(workload: Workload) -> bool:
    from fiche.estimators._states import holds_master

    stated = word(workload, "formats.master") not in ("", "none")
    return stated or "formats.master_bits" in workload.figures or holds_master(workload)


MEMBER = Estimator(
    name="master_weights",
    title="Master weights",
    source="learned parameters x 32 / 8 beside 16-bit weights (Megatron, DeepSpeed); formula sheet 2.5",
    per_case=False,
    resident=True,
    applies=lambda workload: learns(workload) and _applies(workload),
    estimate=_estimate,
    phases=AFTER_A_STEP,
)
