"""Scratch of an update over all tensors at once: a copy of one state while the step runs (formula sheet 2.5).

torch's Adam and AdamW with foreach hold the square roots of the second moments of all tensors together; one
tensor at a time, or fused, they hold at most that of the largest one. Other optimizers: no rule here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiche.estimators._reading import word
from fiche.estimators._training import UPDATE, learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node, either, total
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

if TYPE_CHECKING:
    from fiche.estimators._optimizers import Optimizer


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._optimizers import optimizer_of

    optimizer = optimizer_of(workload)
    assert optimizer is not None
    scratch = _scratch(workload, optimizer)
    return (scratch.named("optimizer_workspace", tell("scratch of the optimizer step")),)


def _scratch(workload: Workload, optimizer: Optimizer) -> Figure:
    from fiche.estimators._amounts import bytes_of, nothing
    from fiche.estimators._states import largest, state_bits
    from fiche.estimators._trained import learned

    tensors = learned(workload)
    bits = [state_bits(tensor, workload, optimizer) for tensor in tensors]
    whole = total((bytes_of(t.all_values, b) for t, b in zip(tensors, bits, strict=True)), BYTE)
    one = largest(bytes_of(t.values, b) for t, b in zip(tensors, bits, strict=True))
    told = word(workload, "training.foreach")
    if optimizer.fused or told == "no":
        return either(nothing(), one, tell("fused, or one tensor at a time: at most its largest"))
    if told == "yes":
        return whole
    because = tell("all tensors at once (foreach), or fused: training.foreach is untold")
    return either(nothing(), whole, because)


def _applies(workload: Workload) -> bool:
    from fiche.estimators._learned import known_model
    from fiche.estimators._optimizers import optimizer_of
    from fiche.estimators._states import in_the_host

    optimizer = optimizer_of(workload)
    if optimizer is None or in_the_host(workload):
        return False
    told = bool(word(workload, "training.foreach")) or known_model(workload) is not None
    return told and bool(optimizer.scratch or optimizer.fused)


MEMBER = Estimator(
    name="optimizer_workspace",
    title="Optimizer workspace",
    source="one copy of a state (torch 2.13, _multi_tensor_adam: exp_avg_sq_sqrt); formula sheet 2.5",
    per_case=False,
    resident=False,
    applies=lambda workload: learns(workload) and _applies(workload),
    estimate=_estimate,
    phases=UPDATE,
)
