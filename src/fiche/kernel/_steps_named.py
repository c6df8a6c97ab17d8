"""Numbers of what to settle next under their names, for the ledger."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.decision import Decision
from fiche.kernel.figure import Node


def numbers(decision: Decision) -> Iterator[tuple[str, str, Node]]:
    """(owner, name, number) of each: what obtaining a piece costs, and where the decision turns."""
    for effort in decision.fiche.efforts:
        for told in (effort.cost, effort.hours):
            if told is not None:
                yield "effort", told.id, told
    if decision.settling is None:
        return
    for one in decision.settling.sensitivities:
        turns = (one.below, one.above)
        ends = [turn.bound for turn in turns] + [turn.at for turn in turns if turn.at is not None]
        for node in (one.value, one.step, *ends):
            yield "sensitivity", node.id, node
