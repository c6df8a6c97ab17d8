"""Parameters gathered for use where the devices share them out: ZeRO-3 and FSDP (formula sheet 2.5).

A matrix product needs its whole matrix: at least the largest one stands whole on each device, unless tensor
parallelism cuts it, at most the model does. DeepSpeed holds no more than stage3_max_live_parameters (10^9
unless told) and what it fetches ahead.
"""

from __future__ import annotations

from fiche.estimators._reading import word
from fiche.estimators._training import AFTER_A_STEP, learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure, Node, ceil, either, smaller, total
from fiche.kernel.model import Model, Parameters
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_LIVE = 1_000_000_000  # parameters: DeepSpeed's default of stage3_max_live_parameters
_AHEAD = 50_000_000  # parameters: its default of stage3_prefetch_bucket_size


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._learned import known_model

    model = known_model(workload)
    if model is None:
        return ()
    held_: Figure = either(*_bounds(workload, model), tell("how many are gathered at a time"))
    return (held_.named("gathered_parameters", tell("parameters gathered for use")),)


def _bounds(workload: Workload, model: Model) -> tuple[Figure, Figure]:
    from fiche.estimators._amounts import nothing
    from fiche.estimators._elements import elements
    from fiche.estimators._learned import held
    from fiche.estimators._states import DEEPSPEED, engine_of, largest
    from fiche.estimators._widths_kept import widths

    width = widths(workload)
    least = largest(ceil(_one(group) * width.least) for group in held(model) if _used(group))
    if "placement.tensor_parallel" in workload.figures:
        least = nothing()
    values = total(elements(group) for group in held(model))
    if engine_of(workload) in DEEPSPEED:
        live = workload.figures.get("engine.settings.stage3_max_live_parameters")
        values = smaller(values, (_LIVE if live is None else live) + _AHEAD)
    return least, ceil(values * width.most)


def _one(group: Parameters) -> Node:
    """Values of one tensor."""
    product: Node = group.shape[0]
    for side in group.shape[1:]:
        product = product * side
    return product


def _used(group: Parameters) -> bool:
    """Matrices of layers: they are multiplied whole, where an embedding may be looked up by rows."""
    return group.role == "linear" and len(group.shape) == 2


MEMBER = Estimator(
    name="gathered_parameters",
    title="Gathered parameters",
    source="from the largest matrix up to the live parameters (DeepSpeed ZeRO-3, FSDP)",
    per_case=False,
    resident=False,
    applies=lambda w: learns(w) and word(w, "placement.sharding") in ("zero3", "fsdp"),
    estimate=_estimate,
    phases=AFTER_A_STEP,
    spread="own",
)
