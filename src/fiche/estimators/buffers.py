"""Buffers of the model and of the loop: what is neither a parameter nor a gradient (B6)."""

from __future__ import annotations

from fiche.estimators._training import learns, observable
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_QUESTION = tell("measure the level after the model is loaded, beside its weights")


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    return observable(workload, case, "buffers", _QUESTION)


MEMBER = Estimator(
    name="buffers",
    title="Buffers",
    source="measured only (MISSION B6, B7)",
    per_case=False,
    resident=False,
    applies=learns,
    estimate=_estimate,
)
