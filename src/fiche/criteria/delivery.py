"""Delivery: a documented earliest date against the date needed; declared stock proves none (D3)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from fiche.criteria import _claims, _conditions
from fiche.criteria._attested_number import Threshold, Value, compared
from fiche.kernel.address import Span
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Declared, Origin, Stated
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.unit import count_of


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison, in days of the calendar (unit word `date`: proleptic ordinals)."""
    by = requirement.facts["by"]
    threshold = Threshold(figure=_day(by.value, Stated(span=_span(by))), at_least=False)
    values = tuple(_values(candidate, ground))
    return (compared(threshold, values, lambda: _lacking(requirement, candidate)),)


def _values(candidate: Candidate, ground: Inquiry) -> Iterator[Value]:
    for piece, item in _claims.attested("delivery", candidate, ground):
        if _claims.vouched(item, ground):
            earliest = item.words["earliest"]
            origin = Declared(
                address=item.pointer or item.span, by=piece.id, printed=earliest.value
            )
            yield Value(
                piece=piece.id,
                figure=_day(earliest.value, origin),
                by=_claims.people(item),
                text=earliest.value,
            )


def _day(iso: str, origin: Origin) -> Figure:
    """A date as a day of the calendar, so that dates compare by the one rule."""
    ordinal = date.fromisoformat(iso).toordinal()
    return Figure(low=ordinal, high=ordinal, unit=count_of("date"), origin=origin, label=iso)


def _span(fact: Fact) -> Span | None:
    return fact.address if isinstance(fact.address, Span) else None


def _lacking(requirement: Requirement, candidate: Candidate) -> Condition:
    latest = requirement.facts["by"].value
    return _conditions.document(
        "delivery",
        f"have the seller put the earliest delivery date of {candidate.gpu} in writing",
        threshold=f"no later than {latest}",
    )


MEMBER = Criterion(name="delivery", title="Delivery date", compare=compare)
