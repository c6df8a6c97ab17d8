"""What to settle next: steps, the smallest sets of them that turn a candidate, and what turns the choice (D1).

A step is one thing that one person can do: a run, a document to ask for, an entry to write. Nothing here says
that it will come out well: `Flips` says what follows if it does, and if it does not.
"""

from __future__ import annotations

from fiche.kernel.address import Span
from fiche.kernel.figure import Figure
from fiche.kernel.record import record

MEASUREMENT, DOCUMENT, ENTRY = "measurement", "document", "entry"
KINDS = (MEASUREMENT, DOCUMENT, ENTRY)


@record(eq=False)
class Effort:
    """What it costs to obtain a piece, as the fiche states it.

    `topic` is the topic of a condition, or a kind of step; empty names of a candidate, a seller and a machine
    mean any. `cost` is money, `hours` a time; None is untold, never nothing.
    """

    topic: str
    span: Span
    candidate: str = ""
    seller: str = ""
    machine: str = ""
    cost: Figure | None = None
    hours: Figure | None = None
    because: str = ""


@record
class Settles:
    """One open point that a step answers. `level`: must, want, or order (a cost that is not ranked yet).

    An empty `candidate` means all of them; `decides` is False for a point that keeps no verdict open.
    """

    candidate: str
    requirement: str
    topic: str
    case: str
    level: str
    threshold: str = ""
    decides: bool = True


@record(eq=False)
class Step:
    """One thing to do, and what it answers.

    `commands` are command lines for the machine named, run in the fiche's folder one after the other; `why`
    says why none is a ready one. `lines` are what to add to the fiche, `after` the steps without which it
    cannot begin. `seller` is whom a document is asked of; `cost`, `hours` are None where no effort is told.
    """

    id: str
    kind: str
    text: str
    supplier: str
    settles: tuple[Settles, ...]
    machine: str = ""
    commands: tuple[str, ...] = ()
    is_ready: bool = False
    why: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    seller: str = ""
    cost: Figure | None = None
    hours: Figure | None = None
    because: str = ""


@record
class Flips:
    """Which steps turn one candidate.

    `retain` are the smallest sets that make it retained if all of a set come out well; `exclude` are sets any
    one of which excludes it if all of it come out badly: most are single steps.
    `excluded_by` are the proven findings of one that is excluded, as (requirement, pieces): only showing those
    wrong would reopen it. `is_cut` tells that there are more sets than were looked at.
    """

    candidate: str
    status: str
    retain: tuple[tuple[str, ...], ...] = ()
    exclude: tuple[tuple[str, ...], ...] = ()
    excluded_by: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_cut: bool = False


@record
class Request:
    """One numbered sentence of a letter."""

    step: str
    text: str
    offer: str = ""
    threshold: str = ""
    level: str = "must"


@record
class Letter:
    """All that is asked of one seller: `offers` by id, `date` the decision's (or the order's) own."""

    seller: str
    offers: tuple[str, ...]
    date: str
    requests: tuple[Request, ...]


@record
class Change:
    """What would be otherwise: a status, a second reading (`reading`), or who ranks first (`first`)."""

    what: str
    candidate: str
    before: str
    after: str


@record(eq=False)
class Turn:
    """The first value on one side at which something changes; None where nothing does up to `bound`."""

    bound: Figure
    at: Figure | None = None
    changes: tuple[Change, ...] = ()


@record(eq=False)
class Sensitivity:
    """One assumption or stated choice: its value now, and where the decision turns below and above it.

    `kind` is assumed or stated; `step` the resolution with which the turn was found, all else held.
    """

    name: str
    kind: str
    value: Figure
    below: Turn
    above: Turn
    step: Figure


@record
class Settling:
    """The open steps in the order of what they cost to obtain, and what follows from them.

    `next` is the step to take first, empty where nothing is open; `is_mixed` tells that efforts are stated in
    several currencies, which are not compared. `unused` are the topics of efforts that no step is of.
    """

    steps: tuple[Step, ...] = ()
    next: str = ""
    flips: tuple[Flips, ...] = ()
    letters: tuple[Letter, ...] = ()
    sensitivities: tuple[Sensitivity, ...] = ()
    is_mixed: bool = False
    unused: tuple[str, ...] = ()
