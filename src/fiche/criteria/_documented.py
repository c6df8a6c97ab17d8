"""What a seller's document grants, in a number and in words beside it: a term, a level, who pays.

A document that says another word than the one asked for grants something else; one that leaves the word out
grants nothing yet (D1, D3).
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims
from fiche.criteria._attested_number import Threshold, Value, compared, meets
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.piece import Attested, Piece
from fiche.kernel.record import record, replace
from fiche.kernel.requirement import Candidate, Requirement


@record
class Granted:
    """One attested fact of a candidate's documents: what it contradicts, and what it leaves out."""

    piece: Piece
    item: Attested
    differs: tuple[str, ...]
    untold: tuple[str, ...]


def granted(
    fact: str,
    words: tuple[str, ...],
    requirement: Requirement,
    candidate: Candidate,
    ground: Inquiry,
) -> Iterator[Granted]:
    """Every attested fact of that name that somebody answers for, against the words that are asked."""
    asked = {key: requirement.facts[key].value for key in words if key in requirement.facts}
    for piece, item in _claims.attested(fact, candidate, ground):
        if not _claims.vouched(item, ground):
            continue
        told = {key: item.words[key].value for key in asked if key in item.words}
        yield Granted(
            piece=piece,
            item=item,
            differs=tuple(
                f"{key}: {told[key]}, and {asked[key]} is asked"
                for key in told
                if told[key].casefold() != asked[key].casefold()
            ),
            untold=tuple(
                f"{key} is not said, and {asked[key]} is asked" for key in asked if key not in told
            ),
        )


def against(threshold: Threshold, key: str, found: list[Granted], lacking: Condition) -> Comparison:
    """The term `key` of what is granted against the threshold; a word that differs refuses it."""
    whole = [one for one in found if not one.differs and not one.untold and key in one.item.terms]
    values = [
        Value(piece=one.piece.id, figure=one.item.terms[key], by=_claims.people(one.item))
        for one in whole
    ]
    refused = tuple(refusal(one) for one in found if one.differs)
    short = tuple(dict.fromkeys(_short(one, key) for one in found if one not in whole))
    near = replace(lacking, text=f"{lacking.text}{_told(short)}")
    comparison = compared(threshold, values, lambda: near)
    if not refused:
        return comparison
    kept = [value for value in values if meets(threshold, value.figure)]
    conflicts = tuple(
        f"{value.piece} grants it; {claim.piece} says {claim.text}"
        for value in kept
        for claim in refused
    )
    return with_claims(replace(comparison, conflicts=(*comparison.conflicts, *conflicts)), refused)


def refusal(one: Granted) -> Claim:
    """What a document says instead of what is asked."""
    text = "; ".join(one.differs)
    return Claim(piece=one.piece.id, answer="no", text=text, by=_claims.people(one.item))


def with_claims(comparison: Comparison, claims: tuple[Claim, ...]) -> Comparison:
    """The comparison with further claims, and whose word they take."""
    pieces = (*comparison.pieces, *(claim.piece for claim in claims))
    people = (*comparison.attested_by, *(name for claim in claims for name in claim.by))
    return replace(
        comparison,
        claims=(*comparison.claims, *claims),
        pieces=tuple(dict.fromkeys(pieces)),
        attested_by=tuple(dict.fromkeys(people)),
        have_words=comparison.have_words or "; ".join(filter(None, (c.text for c in claims))),
    )


def _short(one: Granted, key: str) -> str:
    untold = () if key in one.item.terms else (f"{key} is not said",)
    return f"{one.piece.id}: {'; '.join((*one.differs, *one.untold, *untold))}"


def _told(short: tuple[str, ...]) -> str:
    return f" ({'; '.join(short[:3])})" if short else ""


def seller_of(candidate: Candidate) -> str:
    """Who is to be asked, by name where the offer says it."""
    return candidate.offer.seller if candidate.offer is not None else "seller"
