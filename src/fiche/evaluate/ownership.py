"""Buying against renting, worked out for every plan of the fiche."""

from __future__ import annotations

from fiche.evaluate.rejudge import Judged
from fiche.kernel.ownership import Ownership


def ownerships(judged: Judged) -> tuple[Ownership, ...]:
    """Buying against renting, worked out for every plan of the fiche."""
    return ()
