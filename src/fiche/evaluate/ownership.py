"""Buying against renting, worked out for every plan of the fiche. No verdict rests on it."""

from __future__ import annotations

from fiche.evaluate.rejudge import Judged
from fiche.kernel.ownership import Ownership


def ownerships(judged: Judged) -> tuple[Ownership, ...]:
    """Buying against renting, worked out for every plan of the fiche; the code is loaded where there is one."""
    decision = judged.decision
    if not decision.fiche.plans:
        return ()
    from fiche.evaluate._compared import compared

    return tuple(compared(plan, decision) for plan in decision.fiche.plans)
