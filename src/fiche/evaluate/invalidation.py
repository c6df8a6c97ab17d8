"""What would void the conclusion, from its scope, its bounds and its dates."""

from __future__ import annotations

from fiche.evaluate.rejudge import Judged
from fiche.kernel.invalidation import Invalidation


def invalidations(judged: Judged) -> tuple[Invalidation, ...]:
    """What would void the conclusion, from its scope, its bounds and its dates."""
    return ()
