"""What to settle next: steps, the smallest sets of them that turn a candidate, and what turns the choice."""

from __future__ import annotations

from fiche.kernel.record import record


@record
class Effort:
    """What it costs to obtain one piece, as the fiche states it."""

    topic: str


@record
class Settling:
    """The open steps, the sets of them that turn a candidate, and where assumptions turn the choice."""

    steps: tuple[str, ...] = ()
