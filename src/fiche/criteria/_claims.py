"""Attested facts that speak of a candidate: by offer, by machine, by card, or by nothing in particular."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fiche.kernel.comparison import Claim, Inquiry
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Attested, Piece, Run
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell

# Facts that a card's sheet can attest for every card of that name; the rest is a machine's or a seller's.
_OF_A_CARD = frozenset(
    {"compute_capability", "document", "form_factor", "power", "precision", "software"}
)


# A sheet or a quote says what is offered; only the protocol establishes what works (D3).
_OFFERED = frozenset({"datasheet", "quote"})


def offered(piece: Piece) -> bool:
    """A piece that sells: what it says of speed, quality, support or somebody's budget shows none of it."""
    return piece.kind in _OFFERED


def attested(fact: str, candidate: Candidate, ground: Inquiry) -> Iterator[tuple[Piece, Attested]]:
    """Attested facts of one kind whose document is about this candidate.

    A card's name does not describe the rest of the server, nor what is charged for it (D3): a
    document that names only the card attests facts of the card.
    """
    of_a_card = fact in _OF_A_CARD
    for piece in ground.pieces:
        if about(piece, candidate) and (of_a_card or _sold(piece, candidate)):
            yield from ((piece, item) for item in piece.attested if item.fact == fact)


def delivered(fact: str, candidate: Candidate, ground: Inquiry) -> Iterator[tuple[Piece, Attested]]:
    """The same of documents that name an offer or a machine, for facts that a card's sheet has too."""
    for piece, item in attested(fact, candidate, ground):
        if _sold(piece, candidate):
            yield piece, item


def about(piece: Piece, candidate: Candidate) -> bool:
    """A document speaks of a candidate when every thing it names is that candidate's own.

    An offer's `quote` names the piece that is its document. A document that names no offer, machine
    or card speaks of none in particular, and so of none.
    """
    told = False
    for key, own in _NAMING.items():
        if key in piece.typed:
            if piece.typed[key].value != own(candidate):
                return False
            told = True
    return told or _quoted(piece, candidate)


# What a document may name a candidate by; asked for in this order, and only where the document names it.
_NAMING: Mapping[str, Callable[[Candidate], str]] = {
    "offer": lambda candidate: candidate.offer.id if candidate.offer else "",
    "machine": lambda candidate: candidate.machine,
    "gpu": lambda candidate: candidate.gpu,
}


def _sold(piece: Piece, candidate: Candidate) -> bool:
    """The document names an offer or a machine, not only a card."""
    return "offer" in piece.typed or "machine" in piece.typed or _quoted(piece, candidate)


def _quoted(piece: Piece, candidate: Candidate) -> bool:
    offer = candidate.offer
    return offer is not None and "quote" in offer.facts and offer.facts["quote"].value == piece.id


def first(*figures: Figure | None) -> Figure | None:
    """The first that is told; a figure has no truth value, so `or` cannot say this."""
    return next((figure for figure in figures if figure is not None), None)


def vouched(item: Attested, ground: Inquiry) -> bool:
    """True when the document prints the fact, or a named person's word counts under the policy."""
    if item.pointer is not None:
        return True
    return bool(item.by) and ground.policy.typed_scope == "counts"


def holds_on(piece: Piece, day: str, ground: Inquiry) -> str:
    """Why a document does not surely hold on a day (ISO), empty where it does: by all that it says of that."""
    said = [i.words for i in piece.attested if i.fact == "validity" and vouched(i, ground)]
    until = [words["until"].value for words in said if "until" in words]
    begins = [words["from"].value for words in said if "from" in words]
    until += [piece.valid_until] if piece.valid_until else []
    if not until:
        return tell("does not say until when it holds")
    if min(until) < day:
        return tell("holds until {until}", until=min(until))
    return tell("holds from {begins}", begins=max(begins)) if max(begins, default="") > day else ""


def people(item: Attested) -> tuple[str, ...]:
    """Whose word an attested fact takes; nobody's when the document prints it."""
    return () if item.pointer is not None or not item.by else (item.by,)


def succeeded(ground: Inquiry) -> list[tuple[Piece, Run]]:
    """The runs that ended well, those of the whole loop first: the same piece may answer for memory."""
    runs = [(piece, run) for piece in ground.pieces for run in piece.reading.runs]
    ended = [told for told in runs if told[1].outcome == "success"]
    return sorted(ended, key=lambda told: not told[1].whole_loop)


def undecided(claims: tuple[Claim, ...]) -> list[str]:
    """What the pieces say that answers neither yes nor no."""
    return [
        tell("{piece} says {claim}", piece=claim.piece, claim=claim.text)
        for claim in claims
        if not claim.answer
    ]


def deciding(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """The claim that decides where all that answer say the same, else all of them.

    One piece in scope is enough: the one that takes the fewest people's word, by order of ids.
    """
    answered = [claim for claim in claims if claim.answer]
    if len({claim.answer for claim in answered}) != 1:
        return claims
    return (min(answered, key=lambda claim: len(claim.by)),)
