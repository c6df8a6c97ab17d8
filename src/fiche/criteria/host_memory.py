"""Host memory: what a document of the offer or machine attests; a card says nothing of it (D3).

What the machine's own system prints is less than what is installed (firmware and kernel keep a part): it shows
that at least so much is there, and no more than that.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._attested_number import Threshold, Value, compared
from fiche.criteria._told import machines
from fiche.criteria._words import asked_text
from fiche.kernel.address import Pointer
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Observed
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell, tell_asking
from fiche.kernel.unit import BYTE


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: attested bytes of host memory against the threshold."""
    threshold = Threshold(figure=requirement.figures["at_least"], at_least=True)
    values = (*_attested(candidate, ground), *_printed(candidate, ground))
    found = compared(threshold, values, lambda: _lacking(requirement))
    settled = any(v.figure.exact or v.figure.low >= threshold.figure.low for v in values)
    return (found if settled else replace(found, conditions=(_lacking(requirement, *values),)),)


def _attested(candidate: Candidate, ground: Inquiry) -> Iterator[Value]:
    for piece, item in _claims.attested("host_memory", candidate, ground):
        if _claims.vouched(item, ground):
            yield Value(piece=piece.id, figure=item.terms["value"], by=_claims.people(item))


def _printed(candidate: Candidate, ground: Inquiry) -> Iterator[Value]:
    """What the system of the very machine counts; less where its container lets a process have less."""
    for machine in machines(candidate, ground):
        seen = [machine.facts[path] for path in _COUNTS if path in machine.facts]
        counts = [fact for fact in seen if fact.printed and fact.value.isdecimal()]
        if machine.facts.get(_COUNTS[0]) in counts:
            least = min(counts, key=lambda fact: int(fact.value))
            yield Value(piece=machine.piece, figure=_seen(machine.piece, least), by=machine.by)


_COUNTS = ("host_memory_bytes", "container.memory_limit_bytes")


def _seen(piece: str, fact: Fact) -> Figure:
    assert isinstance(fact.address, Pointer)
    origin = Observed(
        pointer=fact.address, counter="host_memory_bytes", scope="host", stat="capacity"
    )
    return Figure(
        low=int(fact.value),
        high=None,
        unit=BYTE,
        origin=origin,
        id=f"{piece}/host_memory",
        label=tell("host memory that the system counts"),
    )


def _lacking(requirement: Requirement, *seen: Value) -> Condition:
    told = (
        tell(
            "; {piece} shows {figure} B, which may be less than is installed",
            piece=seen[0].piece,
            figure=seen[0].figure.low,
        )
        if seen
        else ""
    )
    return _conditions.document(
        "host_memory",
        tell_asking(
            "have the seller attest the machine's host memory{told}",
            "Attest the machine's host memory{told}",
            told=told,
        ),
        threshold=tell(">= {at_least}", at_least=asked_text(requirement.figures["at_least"])),
    )


MEMBER = Criterion(
    name="host_memory",
    title=tell("Host memory"),
    compare=compare,
    expects=tell("document of the offer or machine, or record of the machine"),
    settles=tell(
        "At least the threshold admits; less, by a document, excludes. What a system counts is less than what "
        "is installed: it admits, and excludes nothing. A card's sheet says nothing of it."
    ),
    needs=(("at_least",),),
)
