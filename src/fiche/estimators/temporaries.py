"""Short-lived tensors of a training step: loss, casts, the update's own scratch (B6)."""

from __future__ import annotations

from fiche.estimators._training import learns, observable
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_QUESTION = tell("measure the first full step: loss, backward and optimizer step")


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    return observable(workload, case, "temporaries", _QUESTION)


MEMBER = Estimator(
    name="temporaries",
    title="Temporaries",
    source="measured only (MISSION B6, B7)",
    per_case=True,
    resident=False,
    applies=learns,
    estimate=_estimate,
)
