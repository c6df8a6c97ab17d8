"""What to settle next, for every candidate that is neither retained nor beyond it."""

from __future__ import annotations

from fiche.evaluate.rejudge import Judged
from fiche.kernel.settling import Settling


def settling(judged: Judged) -> Settling | None:
    """What to settle next, for every candidate that is neither retained nor beyond it."""
    return None
