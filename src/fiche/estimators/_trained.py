"""The learned tensors of a workload: what the fiche states first, then what the model's files give."""

from __future__ import annotations

from fiche.estimators._adapters import adapters
from fiche.estimators._learned import (
    ADAPTERS,
    Learned,
    asked,
    counted,
    held,
    known_model,
    parameter_bits,
    stated_count,
    values,
)
from fiche.estimators._reading import word
from fiche.kernel.figure import Node
from fiche.kernel.model import Parameters
from fiche.kernel.workload import Workload


def learned(workload: Workload) -> tuple[Learned, ...]:
    """The learned tensors; where only a count is stated or asked, one entry of that count."""
    model = known_model(workload)
    kind = word(workload, "method.kind")
    if model is not None and "method.trainable_parameters" not in workload.figures:
        if kind in ADAPTERS:
            return adapters(workload, model)
        if kind == "full":
            bits = parameter_bits(workload)
            whole = [_whole(group, bits) for group in held(model)]
            return (*whole, *(asked(condition, bits) for condition in model.open))
    return (counted(stated_count(workload), parameter_bits(workload)),)


def trained_parameters(workload: Workload) -> Node:
    """How many parameters are learned."""
    return values(learned(workload))


def _whole(group: Parameters, bits: Node) -> Learned:
    return Learned(shape=group.shape, copies=group.copies, bits=bits, role=group.role, group=group)
