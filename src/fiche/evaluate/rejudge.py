"""A decision as far as it is judged, and how to judge a changed fiche again: derived parts rest on both."""

from __future__ import annotations

from collections.abc import Callable

from fiche.kernel.decision import Decision, Fiche
from fiche.kernel.record import record


@record
class Judged:
    """`decision` has its findings and outcomes, and nothing yet that is derived from them.

    `again` judges another fiche with the same doors, in the same way.
    """

    decision: Decision
    again: Callable[[Fiche], Decision]
