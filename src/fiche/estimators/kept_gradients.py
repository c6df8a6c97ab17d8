"""Gradients that are there before the backward pass: one more copy during forward and loss (formula sheet 2.5).

Kept from the step before under zero_grad(set_to_none=False); freed by default, so that only those of earlier
microbatches of the same step are there, which accumulation brings.
"""

from __future__ import annotations

from fiche.estimators._reading import word
from fiche.estimators._training import BEFORE_BACKWARD, learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node, either, larger, smaller
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_LEFT_OUT = (tell("gradients kept through an evaluation"),)


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._states import gradient_bytes

    copy = gradient_bytes(workload)
    told = word(workload, "training.zero_grad")
    if told == "kept":
        kept = copy
    else:
        kept = _of_earlier_microbatches(copy, case)
        if not told:
            because = tell(
                "gradients freed between steps (the default of PyTorch), or kept: training.zero_grad"
            )
            kept = either(kept, copy, because)
    name = "kept_gradients" if case is None or not case.id else f"{case.id}.kept_gradients"
    return (kept.named(name, tell("gradients alive before the backward pass"), left_out=_LEFT_OUT),)


def _of_earlier_microbatches(copy: Figure, case: Case | None) -> Figure:
    """All of them from the second microbatch on: none with an accumulation of 1."""
    from fiche.estimators._amounts import nothing

    accumulation = None if case is None else case.dimensions.get("accumulation")
    if accumulation is None:
        return either(nothing(), copy, tell("those of earlier microbatches: state accumulation"))
    return smaller(1, larger(accumulation, 1) - 1) * copy


def _applies(workload: Workload) -> bool:
    from fiche.estimators._learned import known_model

    told = bool(word(workload, "training.zero_grad"))
    return told or known_model(workload) is not None


MEMBER = Estimator(
    name="kept_gradients",
    title="Kept gradients",
    source="one copy of the gradients, or that of earlier microbatches (torch 2.13, zero_grad)",
    per_case=True,
    resident=False,
    applies=lambda workload: learns(workload) and _applies(workload),
    estimate=_estimate,
    phases=BEFORE_BACKWARD,
)
