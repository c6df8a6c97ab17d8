"""What a document, a price or a failure is read with where nothing is judged: no load, no maker."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.kernel.comparison import Inquiry
from fiche.kernel.decision import Fiche
from fiche.kernel.piece import Piece


def ground_of(fiche: Fiche, pieces: Iterable[Piece] | None = None) -> Inquiry:
    """With all pieces of the fiche, or some of them."""
    return Inquiry(
        base=fiche.workload,
        pieces=fiche.pieces if pieces is None else tuple(pieces),
        policy=fiche.policy,
        date=fiche.date,
        loads={},
        vendors={},
        purchase=fiche.purchase,
        candidates=fiche.candidates,
    )
