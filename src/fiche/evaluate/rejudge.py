"""A decision as far as it is judged, and how to judge a changed fiche again: derived parts rest on both."""

from __future__ import annotations

from collections.abc import Callable

from fiche.kernel.decision import Decision, Fiche
from fiche.kernel.record import record
from fiche.kernel.workload import Case, Workload

# Why no ready workload of `fiche measure` runs this case; nothing where one does.
Ready = Callable[[Workload, Case], tuple[str, ...]]


@record
class Judged:
    """`decision` has its findings and outcomes, and nothing yet that is derived from them.

    `again` judges another fiche with the same doors, in the same way. `ready` knows what the tool itself can
    run; None: nobody who could tell was handed in.
    """

    decision: Decision
    again: Callable[[Fiche], Decision]
    ready: Ready | None = None
