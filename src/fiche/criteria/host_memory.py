"""Host memory: what a document of the offer or machine attests; a card says nothing of it (D3)."""

from __future__ import annotations

from fiche.criteria import _claims, _conditions
from fiche.criteria._attested_number import Threshold, Value, compared
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.requirement import Candidate, Requirement


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: attested bytes of host memory against the threshold."""
    values = tuple(
        Value(piece=piece.id, figure=item.terms["value"], by=_claims.people(item))
        for piece, item in _claims.attested("host_memory", candidate, ground)
        if _claims.vouched(item, ground)
    )
    threshold = Threshold(figure=requirement.figures["at_least"], at_least=True)
    return (compared(threshold, values, lambda: _lacking(requirement)),)


def _lacking(requirement: Requirement) -> Condition:
    return _conditions.document(
        "host_memory",
        "have the seller attest the machine's host memory",
        threshold=f">= {requirement.figures['at_least'].low} B",
    )


MEMBER = Criterion(name="host_memory", title="Host memory", compare=compare)
