"""What would make the conclusion void, and where that is written (E3)."""

from __future__ import annotations

from fiche.kernel.record import record


@record
class Invalidation:
    """One event that would void the conclusion; `kind` is a stable code, `because` says on what it rests."""

    kind: str
    text: str
    because: str
