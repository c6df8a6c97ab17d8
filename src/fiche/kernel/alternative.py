"""A candidate that changes one thing of a baseline, as differences from it (D10)."""

from __future__ import annotations

from fiche.kernel.figure import Figure, Node
from fiche.kernel.finding import Verdict
from fiche.kernel.record import record


@record(eq=False)
class Shift:
    """One number on both sides and the changed one less the other, with its sign.

    `name` is an item of the load (`kv_cache`), `useful_margin`, `cost`, or empty for all that is alive
    in `phase` together. A side is None where it has no such item; the difference is None where no bounds
    of it are known (an open end leaves it nothing to start from).
    """

    name: str
    before: Node | None
    after: Node | None
    difference: Figure | None
    case: str = ""
    phase: str = ""


@record
class Turned:
    """A requirement whose verdict is another one than the baseline's; None where a side is not asked.

    `reason` and `text` say why it is the candidate's, `topics` what keeps it open.
    """

    requirement: str
    case: str
    device: str
    before: Verdict | None
    after: Verdict | None
    reason: str
    text: str
    topics: tuple[str, ...] = ()


@record
class Cover:
    """A piece of the baseline, and the requirements that it settles there."""

    piece: str
    requirements: tuple[str, ...]


@record
class Anew:
    """What has to be measured or checked again for the change, and whether a piece has done so already.

    `what` is memory, software, quality, duration or result; `asked` is the requirement that asks for it.
    """

    what: str
    done: bool
    asked: str = ""


@record
class Alternative:
    """One changed candidate beside its baseline.

    `cost` is what is compared and ranked, `totals` are those of the bill that differ (before_tax, after_tax,
    payable). `items` are those of the load that differ, `phases` what that makes of each phase of a case.
    `kept` counts the requirements with the same verdict. `covering` says which of the baseline's pieces settle
    a verdict here too, `not_covering` which of them settle one there and not here.
    """

    candidate: str
    baseline: str
    path: str
    before: str
    after: str
    status: tuple[str, str]
    items: tuple[Shift, ...] = ()
    phases: tuple[Shift, ...] = ()
    useful_margin: Shift | None = None
    cost: Shift | None = None
    totals: tuple[Shift, ...] = ()
    turned: tuple[Turned, ...] = ()
    kept: int = 0
    covering: tuple[Cover, ...] = ()
    not_covering: tuple[Cover, ...] = ()
    anew: tuple[Anew, ...] = ()
