"""A managed application or service, by name: what a document says comes with the offer or machine (D3)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._told import comparison
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.doors import Criterion
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell, tell_asking


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: does a document of this offer name the service, as included or as not?"""
    wanted = requirement.facts["service"].value
    lacking = _conditions.document(
        "service",
        tell_asking(
            "have the seller put in writing that '{wanted}' comes with the offer: a card's sheet does not",
            ("Put in writing that '{wanted}' comes with the offer: a card's sheet does not"),
            wanted=wanted,
        ),
        threshold=wanted,
    )
    return (comparison(wanted, tuple(_claims_of(wanted, candidate, ground)), (lacking,)),)


def _claims_of(wanted: str, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    """A document that names another service says nothing of this one."""
    for piece, item in _claims.attested("service", candidate, ground):
        named = item.words["service"].value.casefold() == wanted.casefold()
        if named and _claims.vouched(item, ground):
            answer = item.words.get("answer")
            refused = answer is not None and answer.value == "not_included"
            yield Claim(
                piece=piece.id,
                answer="no" if refused else "yes",
                text=tell("not included") if refused else wanted,
                by=_claims.people(item),
            )


MEMBER = Criterion(
    name="service",
    title=tell("Managed service"),
    compare=compare,
    expects=tell("document of the offer that names the service"),
    settles=tell("Named as part of the offer admits; said not to be part of it excludes."),
    needs=(("service",),),
)
