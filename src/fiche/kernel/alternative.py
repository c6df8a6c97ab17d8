"""A candidate that changes one thing of a baseline, as differences from it (D10)."""

from __future__ import annotations

from fiche.kernel.record import record


@record
class Alternative:
    """One changed candidate beside its baseline."""

    candidate: str
    baseline: str
