"""The fp32 copy of 16-bit logits that the loss makes and lets go of: 4 bytes a logit (formula sheet 2.5).

transformers 5.24, `loss_utils.py`: logits.float() inside the loss function.
"""

from __future__ import annotations

from fiche.estimators._reading import qualified
from fiche.estimators._training import IN_THE_LOSS, learns
from fiche.estimators._vocabulary import (
    by_loss,
    copied,
    logits,
    vocabulary_of,
)
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    values = logits(workload, case)
    whole = copied(workload, values)
    held = by_loss(workload, whole)
    return (held.named(qualified(case, "logits_upcast"), "copy of the logits in fp32"),)


MEMBER = Estimator(
    name="logits_upcast",
    title="Logits in fp32",
    source="tokens x vocabulary x 4 where logits are narrower (transformers 5.24)",
    per_case=True,
    resident=False,
    applies=lambda workload: learns(workload) and vocabulary_of(workload) is not None,
    estimate=_estimate,
    phases=IN_THE_LOSS,
    spread="tokens",
)
