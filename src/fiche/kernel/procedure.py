"""How a purchase is to be made by the thresholds of a policy: never law in the code."""

from __future__ import annotations

from fiche.kernel.record import record


@record
class SimilarOrder:
    """Another order for the same need: its total counts with this one's."""

    id: str


@record
class Procedure:
    """What the policy's thresholds say of the need's total, each with its source."""

    total: str = ""
