"""Gradients: learned parameters x bits of `formats.gradient` / 8, where the fiche states both (B6).

Not resident: an optimizer that steps inside the backward pass frees them one by one, so they may
not count in a floor.
"""

from __future__ import annotations

from fiche.estimators._constants import BITS_PER_BYTE
from fiche.estimators._formats import value_bits
from fiche.estimators._training import learns, trained_parameters
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, ceil
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    bits = value_bits(workload, "gradient", "gradient_format")
    gradients = ceil(trained_parameters(workload) * bits / BITS_PER_BYTE)
    left_out = ("a second copy kept by accumulation or by communication",)
    return (gradients.named("gradients", "gradients", left_out=left_out),)


MEMBER = Estimator(
    name="gradients",
    title="Gradients",
    source="learned parameters x bits / 8 (MISSION B6)",
    per_case=False,
    resident=False,
    applies=learns,
    estimate=_estimate,
)
