"""decision.json: what to settle next."""

from __future__ import annotations

from typing import Any

from fiche.kernel.decision import Decision
from fiche.kernel.ledger import Ledger
from fiche.kernel.places import Places


def settling(decision: Decision, book: Ledger, places: Places) -> dict[str, Any]:
    """The keys of this part; none where the decision has nothing of it."""
    return {}
