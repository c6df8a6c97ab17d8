"""Disk: so many bytes, of a kind where one is asked, by a document of the offer or machine (D3)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._attested_number import Threshold, Value, best_of_each, compared
from fiche.criteria._words import asked_text
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell, tell_asking


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: attested bytes of a disk of that kind against the threshold."""
    values = best_of_each(_values(requirement, candidate, ground))
    threshold = Threshold(figure=requirement.figures["at_least"], at_least=True)
    return (compared(threshold, values, lambda: _lacking(requirement)),)


def _values(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Value]:
    """Where a kind is asked, a document of another kind says nothing of it: a machine has several disks."""
    wanted = requirement.facts.get("type")
    for piece, item in _claims.attested("disk", candidate, ground):
        told = item.words.get("type")
        same = wanted is None or (
            told is not None and told.value.casefold() == wanted.value.casefold()
        )
        if same and _claims.vouched(item, ground):
            yield Value(piece=piece.id, figure=item.terms["value"], by=_claims.people(item))


def _lacking(requirement: Requirement) -> Condition:
    wanted = requirement.facts.get("type")
    kind = tell("{wanted} disk", wanted=wanted.value) if wanted is not None else "disk"
    return _conditions.document(
        "disk",
        tell_asking(
            "have the seller attest the {kind} of the machine as delivered, or its operator provide what the "
            "machine prints of it",
            (
                "Attest the {kind} of the machine as delivered, or its operator "
                "provide what the machine prints of it"
            ),
            kind=kind,
        ),
        threshold=tell(">= {at_least}", at_least=asked_text(requirement.figures["at_least"])),
        supplier=tell("seller or operator"),
    )


MEMBER = Criterion(
    name="disk",
    title="Disk",
    compare=compare,
    expects=tell("seller's document, or print of the machine (df, lsblk)"),
    settles=tell(
        "At least the threshold admits, less excludes; of several disks in one document the largest counts, a "
        "disk of another kind than the one asked for says nothing."
    ),
    needs=(("at_least",),),
)
