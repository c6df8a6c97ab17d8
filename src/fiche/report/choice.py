"""The choice on record: order, people, opinions, acceptance conditions, signatures."""

from __future__ import annotations

from fiche.report.desk import Desk
from fiche.report.parts import Section


def section(desk: Desk) -> Section | None:
    """None where the decision has nothing of it."""
    return None
