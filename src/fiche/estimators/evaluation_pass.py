"""An evaluation of the model in training: one batch of its own, no graph (D7, formula sheet 2.5).

Logits in their own format and twice in fp32 (the copy and the log-probabilities of its loss), beside the work
of one layer, none of which is kept. Predictions that a program collects over batches are left out, by name.
"""

from __future__ import annotations

from fiche.estimators._reading import qualified
from fiche.estimators._training import learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node, ceil, either, total
from fiche.kernel.model import Model
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

_LEFT_OUT = (
    tell("logits collected over the batches of an evaluation"),
    tell("caches, where it generates"),
)


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._learned import known_model
    from fiche.estimators._vocabulary import evaluated_tokens

    model = known_model(workload)
    if case is None or model is None or "evaluation" not in case.phases:
        return ()
    counted = evaluated_tokens(case)
    held = total(
        (_one_layer(workload, model, case, counted), *_logits(workload, case, counted)), BYTE
    )
    label = tell("one batch of an evaluation, without a graph")
    return (held.named(qualified(case, "evaluation_pass"), label, left_out=_LEFT_OUT),)


def _one_layer(workload: Workload, model: Model, case: Case, counted: Node) -> Figure:
    from fiche.estimators._amounts import nothing
    from fiche.estimators._states import largest
    from fiche.estimators._step_kept import layer, step_of, strange

    step = step_of(workload, model, case)
    most = largest(layer(block, workload, model, step) for block in model.blocks)
    whole = ceil(total((most, *strange(workload, model)), BYTE) * counted)
    return either(
        nothing(), whole, tell("one layer at work: at most what it would keep for a backward pass")
    )


def _logits(workload: Workload, case: Case, counted: Node) -> tuple[Figure, ...]:
    from fiche.estimators._amounts import nothing
    from fiche.estimators._vocabulary import (
        by_loss,
        in_fp32,
        in_their_own_format,
        logits,
        vocabulary_of,
    )

    if vocabulary_of(workload) is None:
        return ()
    values = logits(workload, case, counted)
    loss = either(
        nothing(), in_fp32(values) * 2, tell("the loss of an evaluation, where labels are given")
    )
    return (by_loss(workload, in_their_own_format(workload, values)), by_loss(workload, loss))


MEMBER = Estimator(
    name="evaluation_pass",
    title="Evaluation pass",
    source="batch x sequence x vocabulary x (2 + 4 + 4), and one layer (transformers 5.24)",
    per_case=True,
    resident=False,
    applies=learns,
    estimate=_estimate,
    phases=("evaluation",),
    spread="tokens",
)
