"""What would silently change the format that the weights are loaded in (B4, D1)."""

from __future__ import annotations

from fiche.kernel.condition import Condition
from fiche.kernel.workload import Workload


def open_formats(workload: Workload) -> tuple[Condition, ...]:
    """Conditions on software and settings, each of which changes what the weights take."""
    if workload.model is None:
        return ()
    # The layouts of quantised weights are of use to those only who give a model's files.
    from fiche.estimators import _weights

    return _weights.open_formats(workload)
