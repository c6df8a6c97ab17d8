"""What a seller's document grants, in a number and in words beside it: a term, a level, who pays.

A document that says other words than those asked for grants nothing yet, and neither does one that leaves them
out: words of one's own cannot be put in order. Only of a closed list another word is something else (D1, D3).
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims
from fiche.criteria._attested_number import Threshold, Value, compared, meets
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Attested, Piece
from fiche.kernel.record import record, replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell


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
                tell(
                    "{key}: {told}, and {asked} is asked", key=key, told=told[key], asked=asked[key]
                )
                for key in told
                if key in _CLOSED and told[key] != asked[key]
            ),
            untold=tuple(
                tell(
                    "{key}: {told}, and {asked} is asked", key=key, told=told[key], asked=asked[key]
                )
                if key in told
                else tell("{key} is not said, and {asked} is asked", key=key, asked=asked[key])
                for key in asked
                if key not in told or (key not in _CLOSED and not alike(told[key], asked[key]))
            ),
        )


# Words of a closed list, of which another one is a refusal.
_CLOSED = frozenset({"returns"})
_APART = lazy(r"[\W_]+")
_TIMES = lazy(r"(?<=[0-9])x(?=[0-9])")


def alike(one: str, other: str) -> bool:
    """The same words, however they are joined: `On site` and `on-site`, `24/7` and `24x7`."""
    plain = _plain(one)
    return one == other or bool(plain and plain == _plain(other))


def _plain(text: str) -> str:
    return _TIMES.sub("", _APART.sub("", text.casefold()))


def against(threshold: Threshold, key: str, found: list[Granted], lacking: Condition) -> Comparison:
    """The term `key` of what is granted against the threshold; a word that differs refuses it."""
    whole = [one for one in found if not one.differs and not one.untold and key in one.item.terms]
    values = [
        Value(piece=one.piece.id, figure=one.item.terms[key], by=_claims.people(one.item))
        for one in whole
    ]
    refused = tuple(refusal(one) for one in found if one.differs)
    short = list(dict.fromkeys(_short(one, key) for one in found if one not in whole))
    comparison = compared(threshold, values, lambda: nearest(lacking, short))
    if not refused:
        return comparison
    kept = [value for value in values if meets(threshold, value.figure)]
    conflicts = tuple(
        tell(
            "{piece} grants it; {piece2} says {claim}",
            piece=value.piece,
            piece2=claim.piece,
            claim=claim.text,
        )
        for value in kept
        for claim in refused
    )
    return with_claims(replace(comparison, conflicts=(*comparison.conflicts, *conflicts)), refused)


def refusal(one: Granted) -> Claim:
    """What a document says instead of what is asked."""
    text = listed(one.differs, "; ")
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
        have_words=comparison.have_words or listed(filter(None, (c.text for c in claims)), "; "),
    )


def _short(one: Granted, key: str) -> str:
    untold = () if key in one.item.terms else (tell("{key} is not said", key=key),)
    return tell(
        "{piece}: {it}", piece=one.piece.id, it=listed((*one.differs, *one.untold, *untold), "; ")
    )


def nearest(lacking: Condition, short: list[str]) -> Condition:
    """The condition with what the documents at hand leave out."""
    return (
        replace(
            lacking,
            text=tell("{lacking} ({short})", lacking=lacking.text, short=listed(short[:3], "; ")),
        )
        if short
        else lacking
    )


def seller_of(candidate: Candidate) -> str:
    """Who is to be asked, by name where the offer says it."""
    return candidate.offer.seller if candidate.offer is not None else "seller"
