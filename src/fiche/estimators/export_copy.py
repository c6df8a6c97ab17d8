"""A second copy of what is saved, while a model is exported: none, or all of it at once (D7).

PyTorch's save reads tensors one by one; a gathered or converted state dict holds them all. What is saved are
the learned parameters: adapters, or the whole model of a full fine-tune.
"""

from __future__ import annotations

from fiche.estimators._reading import qualified
from fiche.estimators._training import learns
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, either, total
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

_LEFT_OUT = (tell("adapters merged into the base model"),)


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    from fiche.estimators._amounts import bytes_of, nothing
    from fiche.estimators._learned import known_model
    from fiche.estimators._trained import learned

    if case is None or "export" not in case.phases or known_model(workload) is None:
        return ()
    parts = (bytes_of(tensor.all_values, tensor.bits) for tensor in learned(workload))
    because = tell("saved tensor by tensor, or as one gathered or converted state dict")
    copy = either(nothing(), total(parts, BYTE), because)
    name = qualified(case, "export_copy")
    return (copy.named(name, tell("second copy of what is saved"), left_out=_LEFT_OUT),)


MEMBER = Estimator(
    name="export_copy",
    title="Export copy",
    source="none, or one copy of the learned parameters (torch.save, gathered state dicts)",
    per_case=True,
    resident=False,
    applies=learns,
    estimate=_estimate,
    phases=("export",),
    spread="each",
)
