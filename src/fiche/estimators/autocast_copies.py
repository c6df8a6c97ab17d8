"""Copies that autocast makes of fp32 weights: 16 bits a value of each linear module, for the backward pass.

`training.autocast` bf16 or fp16 over fp32 weights (2.5: 16 bytes a parameter and 2 more). The backward pass
reads the copy. Recomputed layers and compiled graphs let go of it earlier: an interval then.
"""

from __future__ import annotations

from fiche.estimators._reading import word
from fiche.estimators._training import KEPT_FOR_BACKWARD, learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, either, total
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

_CAST = ("linear", "expert", "router", "head")


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._amounts import bytes_of, narrower, nothing
    from fiche.estimators._elements import elements
    from fiche.estimators._learned import held, known_model, weight_bits

    model = known_model(workload)
    if model is None:
        return ()
    wide = 1 - narrower(weight_bits(workload), 32)
    copies = total((bytes_of(elements(g), 16) * wide for g in held(model) if g.role in _CAST), BYTE)
    if word(workload, "training.checkpointing") != "none":
        because = tell(
            "recomputed layers let go of their copies: training.checkpointing is not none"
        )
        copies = either(nothing(), copies, because)
    return (copies.named("autocast_copies", tell("16-bit copies of fp32 weights under autocast")),)


MEMBER = Estimator(
    name="autocast_copies",
    title="Autocast copies",
    source="values of linear modules x 16 / 8 (torch 2.13, autocast's cache of casts); formula sheet 2.5",
    per_case=False,
    resident=False,
    applies=lambda w: learns(w) and word(w, "training.autocast") in ("bf16", "fp16"),
    estimate=_estimate,
    phases=KEPT_FOR_BACKWARD,
)
