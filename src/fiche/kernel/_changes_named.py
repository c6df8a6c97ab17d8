"""Numbers of alternatives, remedies and invalidations under their names, for the ledger."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.decision import Decision
from fiche.kernel.figure import Node


def numbers(decision: Decision) -> Iterator[tuple[str, str, Node]]:
    """(owner, name, number) of each."""
    for one in decision.alternatives:
        alone = (one.useful_margin, one.cost)
        for shift in (*one.items, *one.phases, *one.totals, *(s for s in alone if s is not None)):
            for node in (shift.before, shift.after, shift.difference):
                if node is not None:
                    yield one.candidate, node.id, node
    for remedy in decision.remedies:
        for node in (remedy.item, remedy.known, remedy.share):
            if node is not None:
                yield remedy.owner, node.id, node
    for event in decision.invalidations:
        if event.figure is not None:
            yield event.owner, event.figure.id, event.figure
        for _, node in event.figures:
            yield event.owner, node.id, node
