"""Location: where the machine stands, as its provider attests; a label in an offer's row is declared (D3)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._documented import alike, seller_of
from fiche.criteria._told import comparison
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell, tell_asking

_LONGEST_CODE = 3  # FR, FRA
PLACES = ("country", "region", "datacentre")


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: is the place one of those that are allowed?"""
    claims = tuple(_said(requirement, candidate, ground))
    lacking = _lacking(requirement, candidate, claims)
    return (comparison(listed(_allowed(requirement), " or "), claims, (lacking,)),)


def _said(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    for piece, item in _claims.attested("location", candidate, ground):
        told = item.words.get(_kind(requirement))
        if told is not None and _claims.vouched(item, ground):
            answer = _answer(_allowed(requirement), told.value)
            yield Claim(piece=piece.id, answer=answer, text=told.value, by=_claims.people(item))


def _answer(allowed: list[str], told: str) -> str:
    """`yes` or `no`; empty where one is a code and the other a name: `DE` may be Germany."""
    if any(alike(one, told) for one in allowed):
        return "yes"
    return "no" if {_is_code(one) for one in allowed} == {_is_code(told)} else ""


def _is_code(name: str) -> bool:
    return len(name) <= _LONGEST_CODE


def _allowed(requirement: Requirement) -> list[str]:
    return [one.value for one in requirement.choices["one_of"]]


def _kind(requirement: Requirement) -> str:
    told = requirement.facts.get("place")
    return told.value if told is not None else PLACES[0]


def _lacking(
    requirement: Requirement, candidate: Candidate, claims: tuple[Claim, ...]
) -> Condition:
    kind = _kind(requirement)
    offer = candidate.offer
    row = offer.facts.get("region") if offer is not None else None
    told = _claims.undecided(claims)
    codes = (
        tell(" ({told}: allow it in the words of the document)", told=listed(told, "; "))
        if told
        else ""
    )
    label = (
        tell("; the offer's row says {row}, which nobody attests", row=row.value)
        if row is not None
        else ""
    )
    return _conditions.document(
        "location",
        tell_asking(
            "have the provider attest the {kind} where the machine stands{codes}{label}",
            ("Have the provider attest the {kind} where the machine stands{codes}{label}"),
            kind=kind,
            codes=codes,
            label=label,
        ),
        threshold=tell(
            "{kind}: {allowed}", kind=kind, allowed=listed(_allowed(requirement), " or ")
        ),
        supplier=seller_of(candidate),
    )


MEMBER = Criterion(
    name="location",
    title="Location",
    compare=compare,
    expects=tell("contract, quote or document of the provider"),
    settles=tell(
        "the country, region or datacentre that the provider's document names for this offer or machine: one "
        "of those allowed admits, another excludes, a code for a name leaves it to confirm; a label in an "
        "offer's row is no document"
    ),
    needs=(("one_of",),),
)
