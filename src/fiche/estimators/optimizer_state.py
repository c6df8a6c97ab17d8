"""Optimizer states: values kept for each learned parameter, by what the fiche states or names (B6).

`optimizer.states_per_parameter` and `formats.optimizer_state` stand before any rule. Where the optimizer is
named, its library's own rule applies: how many states, in which format, and what small tensors keep. A name
that is not known here stands for no constant: the count is asked. They come into being in the first step.
"""

from __future__ import annotations

from fiche.estimators._reading import word
from fiche.estimators._training import AFTER_A_STEP, learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_STEP = tell("temporaries of the update step")
_MASTER = tell("a master copy of the weights")


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._states import master_known, state_bytes

    kept: Figure = state_bytes(workload)
    left_out = (_STEP,) if master_known(workload) else (_MASTER, _STEP)
    return (kept.named("optimizer_state", _label(workload), left_out=left_out),)


def _label(workload: Workload) -> str:
    from fiche.estimators._optimizers import optimizer_of
    from fiche.estimators._states import in_the_host

    optimizer = optimizer_of(workload)
    if in_the_host(workload):
        return tell("optimizer states, in the host's memory")
    if optimizer is None or "optimizer.states_per_parameter" in workload.figures:
        return tell("optimizer states")
    return tell(
        "optimizer states: {word}, as in {source}",
        word=word(workload, "optimizer.name"),
        source=optimizer.source,
    )


MEMBER = Estimator(
    name="optimizer_state",
    title="Optimizer states",
    source="learned parameters x states per parameter x bits / 8 (MISSION B6); formula sheet 2.5",
    per_case=False,
    resident=True,
    applies=learns,
    estimate=_estimate,
    phases=AFTER_A_STEP,
)
