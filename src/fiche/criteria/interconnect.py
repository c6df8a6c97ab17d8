"""Interconnect: an attested link and rate of the machine; a card's sheet leaves it to confirm (D3).

A topology that the machine itself printed names the link of all its pairs, and no rate.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._attested_number import Threshold, Value, compared
from fiche.criteria._capacity import machine_of
from fiche.criteria._words import figure_text
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.piece import Attested
from fiche.kernel.requirement import Candidate, Requirement


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: the attested rate of the link, or the link itself where no rate is required."""
    values = tuple(_values(requirement, candidate, ground))
    least = requirement.figures.get("at_least")
    if least is not None:
        rated = [v for v in values if v.figure.unit == least.unit]
        threshold = Threshold(figure=least, at_least=True)
        return (compared(threshold, rated, lambda: _lacking(requirement, candidate)),)
    return (_named(requirement, candidate, ground),)


def _values(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Value]:
    for piece, item in _claims.attested("interconnect", candidate, ground):
        same = "link" not in requirement.facts or _same(requirement, item)
        if same and "value" in item.terms and _claims.vouched(item, ground):
            yield Value(piece=piece.id, figure=item.terms["value"], by=_claims.people(item))


def _same(requirement: Requirement, item: Attested) -> bool:
    """A document of another link says nothing of this one: a machine has several."""
    return item.words["link"].value.casefold() == _link(requirement).casefold()


def _named(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Comparison:
    attested = (
        Claim(
            piece=piece.id,
            answer="yes",
            text=item.words["link"].value,
            by=_claims.people(item),
        )
        for piece, item in _claims.attested("interconnect", candidate, ground)
        if _same(requirement, item) and _claims.vouched(item, ground)
    )
    claims = (*_printed(requirement, candidate, ground), *attested)
    return Comparison(
        need_words=_link(requirement),
        have_words=", ".join(dict.fromkeys(claim.text for claim in claims)),
        claims=claims,
        conditions=() if claims else (_lacking(requirement, candidate),),
        pieces=tuple(dict.fromkeys(claim.piece for claim in claims)),
        attested_by=tuple(dict.fromkeys(name for claim in claims for name in claim.by)),
    )


def _printed(requirement: Requirement, candidate: Candidate, ground: Inquiry) -> Iterator[Claim]:
    """The link by which this machine's own topology joins every pair; another link refuses nothing."""
    for piece in ground.pieces:
        link = piece.reading.facts.get("interconnect")
        by = machine_of(piece, candidate, ground)
        same = link is not None and link.value.casefold() == _link(requirement).casefold()
        if link is not None and same and by is not None:
            yield Claim(piece=piece.id, answer="yes", text=link.value, by=by)


def _link(requirement: Requirement) -> str:
    fact = requirement.facts.get("link")
    return fact.value if fact else "interconnect"


def _lacking(requirement: Requirement, candidate: Candidate) -> Condition:
    least = requirement.figures.get("at_least")
    return _conditions.document(
        "interconnect",
        f"have the seller attest the {_link(requirement)} of the machine as delivered: the sheet of "
        f"{candidate.gpu} alone does not",
        threshold=f">= {figure_text(least)}" if least is not None else "",
    )


MEMBER = Criterion(name="interconnect", title="Interconnect", compare=compare)
