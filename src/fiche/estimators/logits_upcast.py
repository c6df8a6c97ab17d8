"""The fp32 copy of 16-bit logits that the loss makes and lets go of: 4 bytes a logit (formula sheet 2.5).

transformers 5.24, `loss_utils.py`: logits.float() inside the loss function.
"""

from __future__ import annotations

from fiche.estimators._reading import qualified
from fiche.estimators._training import IN_THE_LOSS, learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._vocabulary import by_loss, copied, logits

    values = logits(workload, case)
    whole = copied(workload, values)
    held = by_loss(workload, whole)
    return (held.named(qualified(case, "logits_upcast"), tell("copy of the logits in fp32")),)


def _applies(workload: Workload) -> bool:
    if not learns(workload):
        return False
    from fiche.estimators._vocabulary import vocabulary_of

    return vocabulary_of(workload) is not None


MEMBER = Estimator(
    name="logits_upcast",
    title="Logits in fp32",
    source="tokens x vocabulary x 4 where logits are narrower (transformers 5.24)",
    per_case=True,
    resident=False,
    applies=_applies,
    estimate=_estimate,
    phases=IN_THE_LOSS,
    spread="tokens",
)
