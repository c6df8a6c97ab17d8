"""Parameters that an adaptation adds and learns, beside the base model's own weights (B6).

They are never the whole of it: the base model and its activations stay, each an item of its own.
"""

from __future__ import annotations

from fiche.estimators._constants import BITS_PER_BYTE
from fiche.estimators._formats import value_bits
from fiche.estimators._reading import operation_is, word
from fiche.estimators._training import trained_parameters
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, ceil
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    bits = value_bits(workload, "learned", "learned_format")
    learned = ceil(trained_parameters(workload) * bits / BITS_PER_BYTE)
    return (learned.named("learned_parameters", "learned parameters, beside the base model"),)


def _adds_parameters(workload: Workload) -> bool:
    """A full fine-tune learns the weights themselves, which are counted already."""
    return operation_is(workload, "adaptation") and word(workload, "method.kind") != "full"


MEMBER = Estimator(
    name="learned_parameters",
    title="Learned parameters",
    source="learned parameters x bits / 8 (MISSION B6)",
    per_case=False,
    resident=True,
    applies=_adds_parameters,
    estimate=_estimate,
)
