"""Logits of a microbatch, as the output head gives them: tokens x vocabulary (formula sheet 2.5).

They live from the forward pass through the backward pass where the loss is full.
"""

from __future__ import annotations

from fiche.estimators._reading import qualified
from fiche.estimators._training import KEPT_FOR_BACKWARD, learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._vocabulary import by_loss, in_their_own_format, logits

    values = logits(workload, case)
    whole = in_their_own_format(workload, values)
    held = by_loss(workload, whole)
    return (held.named(qualified(case, "logits"), tell("logits of a microbatch")),)


def _applies(workload: Workload) -> bool:
    if not learns(workload):
        return False
    from fiche.estimators._vocabulary import vocabulary_of

    return vocabulary_of(workload) is not None


MEMBER = Estimator(
    name="logits",
    title="Logits",
    source="tokens x vocabulary x bytes of the format computed in (transformers 5.24)",
    per_case=True,
    resident=False,
    applies=_applies,
    estimate=_estimate,
    phases=KEPT_FOR_BACKWARD,
    spread="tokens",
)
