"""Activations kept for the backward pass, as bounds with their assumptions (B6, formula sheet 2.5).

Low end: what the backward pass cannot do without, whatever else is recomputed; with checkpointing (or where it
is untold) the input of each layer. High end: what the modules of transformers keep without checkpointing, by
the attention that is stated; open where a program, a kind of layer or a model was not counted. A measurement
of forward and backward settles them.
"""

from __future__ import annotations

from fiche.estimators._reading import qualified, word
from fiche.estimators._training import KEPT_FOR_BACKWARD, learns, observable, reserved
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node, ceil, either
from fiche.kernel.model import Model
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_QUESTION = tell(
    "measure forward and backward with this microbatch, these sequences and this checkpointing"
)
_LEFT_OUT = (tell("images and audio beside the text"), tell("microbatches in flight on a pipeline"))


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._learned import known_model

    model = known_model(workload)
    if model is None or not model.blocks or reserved(workload, "activations"):
        return observable(workload, case, "activations", _QUESTION)
    bounds = _bounds(workload, model, case)
    label = tell("activations kept for the backward pass")
    return (bounds.named(qualified(case, "activations"), label, left_out=_LEFT_OUT),)


def _bounds(workload: Workload, model: Model, case: Case | None) -> Figure:
    from fiche.estimators._amounts import nothing
    from fiche.estimators._step_kept import (
        beside_layers,
        fewest,
        greatest,
        inputs_of_layers,
        step_of,
        tokens,
    )

    step, counted = step_of(workload, model, case), tokens(case)
    told = word(workload, "training.checkpointing")
    beside = beside_layers(model, step, counted)
    if told == "full":
        low = inputs_of_layers(model, step.widths.least) * counted
        high = inputs_of_layers(model, step.widths.most) * counted + beside
    else:
        high = greatest(workload, model, step) * counted + beside
        low = fewest(workload, model, step) * counted
        if told != "none":
            low = inputs_of_layers(model, step.widths.least) * counted
    if _may_leave(workload, told):
        low = nothing()
    name = qualified(case, "activations")
    return either(
        ceil(low).named(f"{name}.least", tell("what the backward pass cannot do without")),
        ceil(high).named(f"{name}.most", tell("what plain modules keep")),
        _because(told),
    )


def _because(told: str) -> str:
    if told == "full":
        return tell("the input of each layer, in the narrowest or the widest format of the step")
    if told == "none":
        return tell("code may recompute element-wise steps, or keep all that its modules save")
    how = (
        tell("some layers or steps are recomputed")
        if told
        else tell("training.checkpointing is untold")
    )
    return tell("{how}: the input of each layer, up to all that its modules save", how=how)


def _may_leave(workload: Workload, told: str) -> bool:
    """Activations that are moved to the host, as some programs do with their checkpoints."""
    from fiche.estimators._states import engine_of

    offloaded = word(workload, "placement.offload") == "all"
    return offloaded or (told != "none" and engine_of(workload) == "unsloth")


MEMBER = Estimator(
    name="activations",
    title="Activations",
    source="tokens x bytes kept by each layer (torch 2.13 with transformers 5.24; arXiv 2205.05198)",
    per_case=True,
    resident=False,
    applies=learns,
    estimate=_estimate,
    phases=KEPT_FOR_BACKWARD,
    spread="tokens",
)
