"""What the thresholds of the policy say of this purchase."""

from __future__ import annotations

from fiche.evaluate.rejudge import Judged
from fiche.kernel.procedure import Procedure


def procedure(judged: Judged) -> Procedure | None:
    """What the thresholds of the policy say of this purchase."""
    return None
