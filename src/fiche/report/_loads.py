"""Which loads hold the same, and whose they are."""

from __future__ import annotations

from fiche.kernel.comparison import CaseLoad
from fiche.report.desk import Desk, joined
from fiche.report.parts import Code, Part, Parts, Words


def alike(desk: Desk) -> list[list[CaseLoad]]:
    """Loads that hold the same, as those of a candidate that only places it otherwise: drawn and told once."""
    found: dict[object, list[CaseLoad]] = {}
    for load in desk.decision.loads:
        items = tuple((item.node.id, item.phases, item.per_device) for item in load.items)
        phases = tuple((each.phase, each.total.id) for each in load.phases)
        found.setdefault((load.case, items, phases), []).append(load)
    return list(found.values())


def called(desk: Desk, load: CaseLoad, between: str) -> Parts:
    """Whose load of which case."""
    told: list[Part] = [Code(load.owner)] if load.owner else []
    told += [Code(load.case)] if load.case else []
    return joined(told or [Words(desk.word("load_untold"))], between)
