"""Working memory: contexts, library workspaces, scratch of the kernels (B8).

Differs by card, driver, engine and version. A reserve that has an item named `workspace` stands for
it; otherwise it is unknown.
"""

from __future__ import annotations

from fiche.estimators._training import observable
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_QUESTION = tell(
    "measure the whole loop: contexts, library workspaces and scratch are in no formula"
)


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    return observable(workload, case, "workspace", _QUESTION, tell("working memory"))


MEMBER = Estimator(
    name="workspace",
    title="Working memory",
    source="measured only (MISSION B6, B7)",
    per_case=True,
    resident=False,
    applies=lambda workload: True,
    estimate=_estimate,
    spread="each",
)
