"""The ids that a report shows, each with the sorts of things that bear it: what a comment may be on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.kernel.decision import Decision
from fiche.kernel.finding import Finding
from fiche.report.desk import Desk
from fiche.report.points import numbered


def nameable(decision: Decision) -> Mapping[str, tuple[str, ...]]:
    """Sorts are those of `kernel.comment.SORTS`, in the order in which an id is read."""
    found: dict[str, dict[str, None]] = {}
    for sort, name in _names(decision):
        found.setdefault(name, {})[sort] = None
    return {name: tuple(sorts) for name, sorts in found.items()}


def _names(decision: Decision) -> Iterator[tuple[str, str]]:
    fiche, desk = decision.fiche, Desk.of(decision)
    yield "report", "report"
    yield from (("candidate", one.id) for one in fiche.candidates)
    yield from (("requirement", one.id) for one in fiche.requirements)
    yield from (("piece", one.id) for one in fiche.pieces)
    yield from (("case", one.id) for one in fiche.workload.cases)
    for found in decision.findings:
        yield from (("finding", name) for name in names_of(found))
    yield from (("figure", name) for name in desk.book.figures)
    for point in numbered(desk):
        yield from (("point", f"D{point.number}"), ("topic", point.topic))
    steps = decision.settling.steps if decision.settling is not None else ()
    for place, step in enumerate(steps, 1):
        yield from (("step", step.id), ("step", str(place)))


def names_of(found: Finding) -> Iterator[str]:
    """`rent-4090/memory`, `rent-4090/memory.limit`, `rent-4090/memory.limit.cuda:0`."""
    name = f"{found.candidate}/{found.requirement}"
    yield name
    for part in (found.case, found.device):
        if part:
            name = f"{name}.{part}"
            yield name
