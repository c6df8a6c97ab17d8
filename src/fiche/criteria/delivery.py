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
from fiche.kernel.said import listed, tell, tell_asking
from fiche.kernel.unit import count_of


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison, in days of the calendar (unit word `date`: proleptic ordinals).

    A promise counts for an order of the day that the requirement names, where it names one.
    """
    by = requirement.facts["by"]
    threshold = Threshold(figure=_day(by.value, Stated(span=_span(by))), at_least=False)
    short = tuple(_short(requirement, candidate, ground))
    values = tuple(v for v in _values(candidate, ground) if v.piece not in dict(short))
    return (compared(threshold, values, lambda: _lacking(requirement, candidate, short)),)


def _short(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> Iterator[tuple[str, str]]:
    """Documents that do not say that they still hold on the day of the order, and why."""
    ordered = requirement.facts.get("ordered")
    for piece, _ in _claims.attested("delivery", candidate, ground) if ordered is not None else ():
        why = "" if ordered is None else _claims.holds_on(piece, ordered.value, ground)
        if why:
            yield piece.id, why


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


def _lacking(
    requirement: Requirement, candidate: Candidate, short: tuple[tuple[str, str], ...]
) -> Condition:
    latest, ordered = requirement.facts["by"].value, requirement.facts.get("ordered")
    order = "" if ordered is None else tell(", for an order of {ordered}", ordered=ordered.value)
    apart = (
        tell(
            " ({each})",
            each=listed(
                (tell("{piece} {why}", piece=piece, why=why) for piece, why in short[:3]), "; "
            ),
        )
        if short
        else ""
    )
    return _conditions.document(
        "delivery",
        tell_asking(
            "have the seller put the earliest delivery date of {gpu} in writing{order}{apart}",
            "Put the earliest delivery date of {gpu} in writing{order}{apart}",
            gpu=candidate.gpu,
            order=order,
            apart=apart,
        ),
        threshold=tell("no later than {latest}", latest=latest),
    )


MEMBER = Criterion(
    name="delivery",
    title=tell("Delivery date"),
    compare=compare,
    expects=tell("quote, contract or delivery note of the seller"),
    settles=tell(
        "the earliest day that the document names for this offer or machine: in time admits, later excludes; "
        "stock that is declared says neither"
    ),
    needs=(("by",),),
)
