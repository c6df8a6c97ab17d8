"""Gradients of the loss by its logits: twice 4 bytes a logit as the backward pass begins (formula sheet 2.5).

The gradient of the log-probabilities and that of the fp32 logits stand side by side.
"""

from __future__ import annotations

from fiche.estimators._reading import qualified
from fiche.estimators._training import BACKWARD, learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._vocabulary import by_loss, in_fp32, logits

    values = logits(workload, case)
    whole = in_fp32(values) * 2
    held = by_loss(workload, whole)
    return (held.named(qualified(case, "logits_gradient"), tell("gradients of logits in fp32")),)


def _applies(workload: Workload) -> bool:
    if not learns(workload):
        return False
    from fiche.estimators._vocabulary import vocabulary_of

    return vocabulary_of(workload) is not None


MEMBER = Estimator(
    name="logits_gradient",
    title="Gradients of logits",
    source="tokens x vocabulary x (4 + 4) (torch 2.13, nll_loss and log_softmax)",
    per_case=True,
    resident=False,
    applies=_applies,
    estimate=_estimate,
    phases=BACKWARD,
    spread="tokens",
)
