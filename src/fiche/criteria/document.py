"""A required document: present among the pieces, about this candidate, by its title (D3)."""

from __future__ import annotations

from fiche.criteria import _claims, _conditions
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.doors import Criterion
from fiche.kernel.requirement import Candidate, Requirement


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: is a document of this title among the pieces, vouched for?"""
    title = requirement.facts["document"].value
    claims = tuple(
        Claim(piece=piece.id, answer="yes", text=title, by=_claims.people(item))
        for piece, item in _claims.attested("document", candidate, ground)
        if item.words["title"].value == title and _claims.vouched(item, ground)
    )
    lacking = _conditions.document("document", f"provide the document '{title}'")
    return (
        Comparison(
            need_words=title,
            have_words=title if claims else "",
            claims=claims,
            conditions=() if claims else (lacking,),
            pieces=tuple(dict.fromkeys(claim.piece for claim in claims)),
            attested_by=tuple(dict.fromkeys(name for claim in claims for name in claim.by)),
        ),
    )


MEMBER = Criterion(name="document", title="Required document", compare=compare)
