"""Buying against renting: figures, break-evens, and cost against hours."""

from __future__ import annotations

from fiche.report.desk import Desk
from fiche.report.parts import Section


def section(desk: Desk) -> Section | None:
    """None where the decision has nothing of it."""
    return None
