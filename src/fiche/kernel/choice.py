"""What was chosen, by whom, why, and what stands on record beside it (E1, catalog 7)."""

from __future__ import annotations

from fiche.kernel.record import record


@record
class Choice:
    """What was chosen, by whom and why (E1); `none` is a choice too."""

    chosen: str
    by: str
    role: str
    because: str
