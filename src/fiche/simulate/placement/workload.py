"""A ready workload on one rank of a placement: its model is made elsewhere, then laid out as the placement says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fiche.measure.workloads.training import Training, _checkpoint
from fiche.simulate.placement.asked import Placement

if TYPE_CHECKING:
    from fiche.measure.protocol.recorder import Recorder
    from fiche.measure.workloads._ready import Workload
    from fiche.measure.workloads._steps import Learner
