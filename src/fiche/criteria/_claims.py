"""Attested facts that speak of a candidate: by offer, by machine, by card, or by nothing in particular."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Attested, Piece
from fiche.kernel.requirement import Candidate


def attested(fact: str, candidate: Candidate, ground: Inquiry) -> Iterator[tuple[Piece, Attested]]:
    """Attested facts of one kind whose document is about this candidate."""
    for piece in ground.pieces:
        if about(piece, candidate):
            yield from ((piece, item) for item in piece.attested if item.fact == fact)


def about(piece: Piece, candidate: Candidate) -> bool:
    """A document speaks of a candidate when every thing it names is that candidate's own.

    An offer's `quote` names the piece that is its document. A document that names no offer, machine
    or card speaks of none in particular, and so of none.
    """
    offer = candidate.offer
    own = {"offer": offer.id if offer else "", "machine": candidate.machine, "gpu": candidate.gpu}
    named = {key: piece.typed[key].value for key in own if key in piece.typed}
    quoted = offer is not None and "quote" in offer.facts and offer.facts["quote"].value == piece.id
    return (bool(named) or quoted) and all(own[key] == value for key, value in named.items())


def first(*figures: Figure | None) -> Figure | None:
    """The first that is told; a figure has no truth value, so `or` cannot say this."""
    return next((figure for figure in figures if figure is not None), None)


def vouched(item: Attested, ground: Inquiry) -> bool:
    """True when the document prints the fact, or a named person's word counts under the policy."""
    if item.pointer is not None:
        return True
    return bool(item.by) and ground.policy.typed_scope == "counts"


def people(item: Attested) -> tuple[str, ...]:
    """Whose word an attested fact takes; nobody's when the document prints it."""
    return () if item.pointer is not None or not item.by else (item.by,)
