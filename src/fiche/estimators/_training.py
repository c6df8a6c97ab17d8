"""What the items of a training share: each asks its question, none is a factor (B6)."""

from __future__ import annotations

from fiche.estimators._reading import missing, operation_is, qualified, stated, word
from fiche.kernel.figure import Node
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload


def learns(workload: Workload) -> bool:
    """True for a training or an adaptation."""
    return operation_is(workload, "training", "adaptation")


def trained_parameters(workload: Workload) -> Node:
    """The learned parameters: all of them for a full fine-tune, else what the fiche states."""
    if (
        word(workload, "method.kind") == "full"
        and "method.trainable_parameters" not in workload.figures
    ):
        return stated(
            workload,
            "model.parameters",
            "parameters",
            "state model.parameters, the count of all values",
        )
    return stated(
        workload,
        "method.trainable_parameters",
        "trained_parameters",
        "state method.trainable_parameters: how many parameters are learned",
    )


def reserved(workload: Workload, name: str) -> bool:
    """True when an item of the reserve bears this name: it then stands there, and only there."""
    ids = {item.id.removeprefix("reserve.").replace("-", "_") for item in workload.reserve}
    return name in ids


def observable(
    workload: Workload, case: Case | None, name: str, text: str, label: str = ""
) -> tuple[Node, ...]:
    """An item that no formula computes: unknown, unless the reserve names it (B7)."""
    if reserved(workload, name):
        return ()
    return (replace(missing(qualified(case, name), BYTE, "need", text), label=label or name),)
