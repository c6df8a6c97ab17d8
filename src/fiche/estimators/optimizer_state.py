"""Optimizer states: learned parameters x states per parameter x bits / 8, where stated (B6).

How many states an optimizer keeps, and in which format, differs by optimizer, version and setting:
no name stands for a constant here.
"""

from __future__ import annotations

from fiche.estimators._constants import BITS_PER_BYTE
from fiche.estimators._formats import value_bits
from fiche.estimators._reading import stated
from fiche.estimators._training import learns, trained_parameters
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, ceil
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    states = stated(
        workload,
        "optimizer.states_per_parameter",
        "optimizer_states",
        "state optimizer.states_per_parameter: values kept for each learned parameter",
    )
    bits = value_bits(workload, "optimizer_state", "optimizer_format")
    kept = ceil(trained_parameters(workload) * states * bits / BITS_PER_BYTE)
    left_out = ("a master copy of the weights", "temporaries of the update step")
    return (kept.named("optimizer_state", "optimizer states", left_out=left_out),)


MEMBER = Estimator(
    name="optimizer_state",
    title="Optimizer states",
    source="learned parameters x states per parameter x bits / 8 (MISSION B6)",
    per_case=False,
    resident=True,
    applies=learns,
    estimate=_estimate,
)
