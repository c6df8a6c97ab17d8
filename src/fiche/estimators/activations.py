"""Activations kept for the backward pass: a question, for the code that runs decides (B6).

They depend on microbatch, sequence, architecture, attention, precision and checkpointing: a
measurement of forward and backward settles them.
"""

from __future__ import annotations

from fiche.estimators._training import learns, observable
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node
from fiche.kernel.workload import Case, Workload

_QUESTION = (
    "measure forward and backward with this microbatch, these sequences and this checkpointing"
)


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    return observable(workload, case, "activations", _QUESTION)


MEMBER = Estimator(
    name="activations",
    title="Activations",
    source="measured only (MISSION B6, B7)",
    per_case=True,
    resident=False,
    applies=learns,
    estimate=_estimate,
)
