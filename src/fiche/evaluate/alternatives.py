"""Every candidate that changes a baseline, as differences from it."""

from __future__ import annotations

from fiche.evaluate.rejudge import Judged
from fiche.kernel.alternative import Alternative


def alternatives(judged: Judged) -> tuple[Alternative, ...]:
    """Every candidate that changes a baseline, as differences from it."""
    return ()
