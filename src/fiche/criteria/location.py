"""Location: where the machine stands, as its provider attests; a label in an offer's row is declared (D3)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._documented import seller_of, with_claims
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.requirement import Candidate, Requirement

PLACES = ("country", "region", "datacentre")
_ROW = ("location", "country", "region", "datacentre")


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: is the place one of those that are allowed?"""
    claims = tuple(_said(requirement, candidate, ground))
    asked = Comparison(
        need_words=" or ".join(_allowed(requirement)),
        have_words=", ".join(dict.fromkeys(claim.text for claim in claims)),
        conditions=() if claims else (_lacking(requirement, candidate),),
    )
    return (with_claims(asked, _claims.deciding(claims)),)


def _said(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    allowed = {one.casefold() for one in _allowed(requirement)}
    for piece, item in _claims.attested("location", candidate, ground):
        told = item.words.get(_kind(requirement))
        if told is not None and _claims.vouched(item, ground):
            answer = "yes" if told.value.casefold() in allowed else "no"
            yield Claim(piece=piece.id, answer=answer, text=told.value, by=_claims.people(item))


def _allowed(requirement: Requirement) -> list[str]:
    return [one.value for one in requirement.choices["one_of"]]


def _kind(requirement: Requirement) -> str:
    told = requirement.facts.get("place")
    return told.value if told is not None else PLACES[0]


def _lacking(requirement: Requirement, candidate: Candidate) -> Condition:
    kind = _kind(requirement)
    row = [] if candidate.offer is None else [candidate.offer.facts.get(key) for key in _ROW]
    said = [told.value for told in row if told is not None]
    label = f"; the offer's row says {', '.join(said)}, which nobody attests" if said else ""
    return _conditions.document(
        "location",
        f"have the provider attest the {kind} where the machine stands{label}",
        threshold=f"{kind}: {' or '.join(_allowed(requirement))}",
        supplier=seller_of(candidate),
    )


MEMBER = Criterion(
    name="location",
    title="Location",
    compare=compare,
    expects="contract, quote or document of the provider",
    settles=(
        "the country, region or datacentre that the provider's document names for this offer or machine: one "
        "of those allowed admits, another excludes; a label in an offer's row is no document"
    ),
    needs=(("one_of",),),
)
