"""What the items of a training share: each asks its question, none is a factor (B6)."""

from __future__ import annotations

from fiche.estimators._reading import missing, operation_is, qualified
from fiche.kernel.figure import Node
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

# The phases of a case in which an item is alive; the first step goes through all of a step.
STEP = ("first_step", "forward", "loss", "backward", "optimizer_step")
AFTER_A_STEP = (*STEP, "evaluation", "export")
KEPT_FOR_BACKWARD = ("first_step", "forward", "loss", "backward", "cold_forward", "warm_forward")
FROM_THE_LOSS = ("first_step", "loss", "backward")
IN_THE_LOSS = ("loss",)
BACKWARD = ("first_step", "backward")
BEFORE_BACKWARD = ("forward", "loss")
GRADIENTS_ALIVE = ("first_step", "backward", "optimizer_step")
UPDATE = ("first_step", "optimizer_step")


def learns(workload: Workload) -> bool:
    """True for a training or an adaptation."""
    return operation_is(workload, "training", "adaptation")


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
