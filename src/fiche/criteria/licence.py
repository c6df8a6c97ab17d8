"""Licence: whether the terms of a driver, a program or a model permit a use, in a document that is named.

A known trap: the terms of a consumer card's driver may not permit the use in a datacentre (catalog 6).
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._told import comparison
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.piece import Piece
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell, tell_asking

_ANSWERS = {"permitted": "yes", "forbidden": "no"}
_PLACES = ("offer", "machine", "gpu")
_CONSUMER = "geforce"


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: is this use of this thing permitted by terms that somebody read and quotes?"""
    claims = tuple(_said(requirement, candidate, ground))
    return (comparison(_asked(requirement), claims, (_lacking(requirement, candidate),)),)


def _said(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    use, of = (requirement.facts[key].value.casefold() for key in ("use", "of"))
    for piece in ground.pieces:
        for item in piece.attested if _speaks(piece, candidate) else ():
            if item.fact != "licence" or not _claims.vouched(item, ground):
                continue
            told = {key: word.value for key, word in item.words.items()}
            if (told["use"].casefold(), told["of"].casefold()) == (use, of):
                text = tell(
                    "{of}: {use} use {answer}",
                    of=told["of"],
                    use=told["use"],
                    answer=told["answer"],
                )
                answer = _ANSWERS[told["answer"]]
                yield Claim(piece=piece.id, answer=answer, text=text, by=_claims.people(item))


def _speaks(piece: Piece, candidate: Candidate) -> bool:
    """Terms name what they license; a document that names an offer, machine or card names this one's."""
    return not any(key in piece.typed for key in _PLACES) or _claims.about(piece, candidate)


def _asked(requirement: Requirement) -> str:
    return tell(
        "{use} use of {of}", use=requirement.facts["use"].value, of=requirement.facts["of"].value
    )


def _lacking(requirement: Requirement, candidate: Candidate) -> Condition:
    name = "" if candidate.card is None else candidate.card.name
    trap = (
        tell(
            "; {name} is a consumer card, and the terms of its driver may not permit a datacentre",
            name=name,
        )
        if requirement.facts["use"].value == "datacentre" and _CONSUMER in name.casefold()
        else ""
    )
    return _conditions.document(
        "licence",
        tell_asking(
            "quote the terms that permit the {asked}: document, version and clause{trap}",
            ("Quote the terms that permit the {asked}: document, version and clause{trap}"),
            asked=_asked(requirement),
            trap=trap,
        ),
        threshold=tell("{asked} permitted", asked=_asked(requirement)),
        supplier=tell("whoever licenses it"),
    )


MEMBER = Criterion(
    name="licence",
    title="Licence",
    compare=compare,
    expects=tell("licence or terms of use, by name and version"),
    settles=tell("the clause about this use of this thing: permitted admits, forbidden excludes"),
    needs=(("use",), ("of",)),
)
