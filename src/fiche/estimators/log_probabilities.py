"""Log-probabilities that the loss keeps for its backward pass: 4 bytes a logit (formula sheet 2.5).

torch's cross entropy keeps the output of log-softmax. Code that shifts the logits keeps one more copy.
"""

from __future__ import annotations

from fiche.estimators._reading import qualified
from fiche.estimators._training import FROM_THE_LOSS, learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._vocabulary import by_loss, in_fp32, logits, shifted

    values = logits(workload, case)
    whole = in_fp32(values) + shifted(workload, values)
    held = by_loss(workload, whole)
    return (
        held.named(
            qualified(case, "log_probabilities"),
            tell("log-probabilities kept for the backward pass"),
        ),
    )


def _applies(workload: Workload) -> bool:
    if not learns(workload):
        return False
    from fiche.estimators._vocabulary import vocabulary_of

    return vocabulary_of(workload) is not None


MEMBER = Estimator(
    name="log_probabilities",
    title="Log-probabilities",
    source="tokens x vocabulary x 4 (torch 2.13, cross_entropy on fp32 logits)",
    per_case=True,
    resident=False,
    applies=_applies,
    estimate=_estimate,
    phases=FROM_THE_LOSS,
    spread="tokens",
)
