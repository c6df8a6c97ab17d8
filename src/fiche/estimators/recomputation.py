"""What one checkpointed layer keeps while the backward pass recomputes it (formula sheet 2.5).

One layer at a time, beside the inputs of all: the largest of them, with the bounds of a layer that is not
checkpointed. Untold or selective checkpointing may recompute none.
"""

from __future__ import annotations

from fiche.estimators._reading import qualified, word
from fiche.estimators._training import BACKWARD, learns, reserved
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node, ceil, either, total
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._amounts import nothing
    from fiche.estimators._layer_kept import least
    from fiche.estimators._learned import known_model
    from fiche.estimators._states import largest
    from fiche.estimators._step_kept import layer, step_of, strange, tokens

    model = known_model(workload)
    told = word(workload, "training.checkpointing")
    if model is None or told == "none" or reserved(workload, "activations"):
        return ()
    step, counted = step_of(workload, model, case), tokens(case)
    most = largest(layer(block, workload, model, step) for block in model.blocks)
    high = total((most, *strange(workload, model)), BYTE) * counted
    low: Figure = nothing()
    if told == "full":
        low = largest(least(block, model, step) for block in model.blocks) * counted
    because = tell("the layer that is recomputed, within the bounds of one that keeps all")
    name = qualified(case, "recomputation")
    return (
        either(ceil(low), ceil(high), because).named(
            name, tell("one layer, recomputed in the backward pass")
        ),
    )


def _applies(workload: Workload) -> bool:
    from fiche.estimators._learned import known_model

    model = known_model(workload)
    return model is not None and bool(model.blocks)


MEMBER = Estimator(
    name="recomputation",
    title="Recomputation",
    source="tokens x bytes kept by the largest layer (torch 2.13, torch.utils.checkpoint)",
    per_case=True,
    resident=False,
    applies=lambda workload: learns(workload) and _applies(workload),
    estimate=_estimate,
    phases=BACKWARD,
    spread="tokens",
)
