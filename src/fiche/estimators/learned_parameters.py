"""Parameters that an adaptation adds and learns, beside the base model's own weights (B6).

A stated count stands; else LoRA and DoRA are counted from the model's own matrices, r x (inputs + outputs) each
(`_adapters`). They are never the whole of it: the base model and its activations stay, each an item of its own.
"""

from __future__ import annotations

from fiche.estimators._reading import operation_is, word
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node, total
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._amounts import bytes_of
    from fiche.estimators._trained import learned

    parts = (bytes_of(tensor.all_values, tensor.bits) for tensor in learned(workload))
    added: Figure = total(parts, BYTE)
    return (added.named("learned_parameters", tell("learned parameters, beside the base model")),)


def _adds_parameters(workload: Workload) -> bool:
    """A full fine-tune learns the weights themselves, which are counted already."""
    return operation_is(workload, "adaptation") and word(workload, "method.kind") != "full"


MEMBER = Estimator(
    name="learned_parameters",
    title="Learned parameters",
    source="r x (inputs + outputs) for each targeted matrix (peft 0.21.2) x bits / 8 (MISSION B6)",
    per_case=False,
    resident=True,
    applies=_adds_parameters,
    estimate=_estimate,
)
