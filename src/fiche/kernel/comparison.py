"""What a criterion gathers for the rule: two intervals, the contradictions, and what would settle it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node
from fiche.kernel.piece import Piece
from fiche.kernel.purchase import NO_PURCHASE, Purchase
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate, Policy
from fiche.kernel.workload import Workload

if TYPE_CHECKING:
    from fiche.kernel.doors import Vendor


@record
class LoadItem:
    """One item of a load's checklist.

    Its figure (or what is missing), and whether it must be in memory together with the other
    resident ones (B6, B7). `phases` are those in which it is alive; empty means all of them.
    `per_device`: the figure is that of the most loaded device, otherwise of the whole load.
    """

    name: str
    node: Node
    resident: bool
    phases: tuple[str, ...] = ()
    per_device: bool = False


@record(eq=False)
class PhaseTotal:
    """One phase of a case: the items alive in it, largest first, and their sum in bytes."""

    phase: str
    items: tuple[LoadItem, ...]
    total: Figure


@record(eq=False)
class CaseLoad:
    """The load of one case by arithmetic: its checklist, and what is alive together in each phase.

    `owner` is empty for the fiche's own workload, else the candidate that changed it or placed it.
    """

    owner: str
    case: str
    items: tuple[LoadItem, ...]
    phases: tuple[PhaseTotal, ...]


@record
class Inquiry:
    """All that a criterion may look at for one candidate.

    `base` is the fiche's own workload, which typed scopes speak of (a candidate may have changed one
    thing of it). `loads` maps a case id to its checklist. `assume` lets assumptions in: the second
    reading, whose answer never becomes a verdict. `simulations` are pieces that only it may look at: they
    are none of `pieces`.
    """

    base: Workload
    pieces: tuple[Piece, ...]
    policy: Policy
    date: str
    loads: Mapping[str, tuple[LoadItem, ...]]
    vendors: Mapping[str, Vendor]
    assume: bool = False
    simulations: tuple[Piece, ...] = ()
    purchase: Purchase = NO_PURCHASE
    candidates: tuple[Candidate, ...] = ()


@record
class Claim:
    """What one piece says about one comparison.

    `answer` is `yes` or `no` where words are compared, `failure` for a proven failure, empty for a
    number. `by` names the people whose word it takes (typed scope); empty when the file prints all.
    """

    piece: str
    answer: str
    text: str = ""
    by: tuple[str, ...] = ()


@record
class Comparison:
    """Need against capacity (or value against threshold), on one candidate, case and device.

    `need_low` can exclude, `need_high` can admit; likewise `have_high` and `have_low`. None is an open
    end. `need_shown` and `have_shown` are the nodes a report prints. `conflicts` say what contradicts
    what. `conditions` would settle an open comparison, in the order a reader should take them.
    `if_held` names the assumptions a second reading rests on. `margin` is the part of the need that
    stated margins add. `noted` are differences that the policy shows and gives no weight. `spread` is how far
    measurements of this very question lie apart; `guard` is the band in which they settle nothing, and
    `guard_excludes` is False where what would exclude was not measured. `concluded` says what a figure of
    another statistic lets one conclude. `sources` are documents behind a catalog's row that decides: they are
    no pieces of the fiche. `against` are the sets of `conditions` that exclude if all of a set are answered
    badly; None leaves that to what each is about. `need_is_floor`: what is shown as needed is the least only.
    """

    case: str = ""
    device: str = ""
    need_low: Figure | None = None
    need_high: Figure | None = None
    have_low: Figure | None = None
    have_high: Figure | None = None
    need_shown: Node | None = None
    have_shown: Node | None = None
    need_words: str = ""
    have_words: str = ""
    useful_margin: Figure | None = None
    claims: tuple[Claim, ...] = ()
    conflicts: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    pieces: tuple[str, ...] = ()
    attested_by: tuple[str, ...] = ()
    if_held: tuple[str, ...] = ()
    required: bool = True
    noted: tuple[str, ...] = ()
    spread: Figure | None = None
    guard: Figure | None = None
    guard_excludes: bool = True
    concluded: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    against: tuple[tuple[Condition, ...], ...] | None = None
    need_is_floor: bool = False
