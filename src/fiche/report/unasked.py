"""Cases that no must asks about: an answer for the others says nothing of them (D0, law 8)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.workload import Case
from fiche.report.desk import Desk, joined
from fiche.report.parts import Code, Parts

# Requests that merely wait are not resident (A4): they make no case more demanding.
_WAITING = "concurrent_requests"


def unasked(desk: Desk) -> Iterator[Parts]:
    """One sentence that names them; none where a judged case asks for as much and more."""
    outcomes = desk.decision.outcomes
    judged = {
        found.case
        for outcome in outcomes
        for found in outcome.findings
        if found.kind == "memory" and found.level == "must"
    }
    cases = desk.decision.fiche.workload.cases
    asked = [case for case in cases if case.id in judged]
    left = [case for case in cases if not any(_within(case, other) for other in asked)]
    if left and outcomes:
        yield desk.say("unasked", cases=joined([(Code(case.id),) for case in left]))


def _within(case: Case, other: Case) -> bool:
    """True when the other case asks for every dimension and phase of this one, or more."""
    sizes = {name: size for name, size in case.dimensions.items() if name != _WAITING}
    reached = all(
        name in other.dimensions and other.dimensions[name].low >= size.low
        for name, size in sizes.items()
    )
    return case.id == other.id or (reached and set(case.phases) <= set(other.phases))
