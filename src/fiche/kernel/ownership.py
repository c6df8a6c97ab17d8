"""Buying against renting: what is asked, and what follows in years, hours and money (catalog 6)."""

from __future__ import annotations

from fiche.kernel.record import record


@record
class Plan:
    """What a fiche asks to be compared: one candidate to buy against those to rent."""

    id: str


@record
class Ownership:
    """One plan, worked out: undiscounted and discounted, with its break-evens."""

    plan: Plan
