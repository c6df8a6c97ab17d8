"""The compiled decision: everything a report may print, and nothing else (no clock inside)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fiche.kernel.alternative import Alternative
from fiche.kernel.beside import CaseBeside
from fiche.kernel.bill import Bill
from fiche.kernel.choice import Choice, Choosing
from fiche.kernel.comparison import CaseLoad
from fiche.kernel.condition import Condition
from fiche.kernel.custody import NO_CUSTODY, Custody
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Node
from fiche.kernel.finding import Finding, SecondReading, Verdict
from fiche.kernel.invalidation import Invalidation
from fiche.kernel.ownership import Ownership, Plan
from fiche.kernel.piece import Piece
from fiche.kernel.procedure import Procedure, SimilarOrder
from fiche.kernel.purchase import NO_PURCHASE, Purchase
from fiche.kernel.record import record
from fiche.kernel.remedy import Remedy
from fiche.kernel.requirement import Candidate, Policy, Requirement
from fiche.kernel.settling import Effort, Settling
from fiche.kernel.workload import Workload

if TYPE_CHECKING:  # few decisions are commented
    from fiche.kernel.comment import Review


@record
class Input:
    """A file that went in: name relative to the fiche's folder, role, length, sha256."""

    file: str
    role: str
    num_bytes: int
    sha256: str
    media_type: str


@record
class Fiche:
    """A loaded fiche: the question, before anything is judged.

    `plans` ask for buying against renting, `efforts` say what obtaining a piece costs, `similar_orders` are
    other orders for the same need, `custody` is how the whole may be kept and shown.
    """

    title: str
    date: str
    author: str
    file: str
    workload: Workload
    requirements: tuple[Requirement, ...]
    candidates: tuple[Candidate, ...]
    pieces: tuple[Piece, ...]
    policy: Policy
    inputs: tuple[Input, ...]
    invalidated_by: tuple[Fact, ...]
    choice: Choice | None
    illustrative: str = ""
    language: str = "en"
    purchase: Purchase = NO_PURCHASE
    plans: tuple[Plan, ...] = ()
    efforts: tuple[Effort, ...] = ()
    similar_orders: tuple[SimilarOrder, ...] = ()
    custody: Custody = NO_CUSTODY


@record
class Outcome:
    """One candidate after judgement: `status` is retained, to_confirm or excluded.

    `cost` is the package's cost (None where no offer says it), `useful_margin` capacity minus need on
    the worst case and device, `schedule` the documented earliest date. `rank` is given to retained
    candidates with a known cost only; `tied_with` names those within the tie tolerance;
    `cost_conditions` is what keeps the cost from being known, and so from being ranked; `bill` is that cost
    line by line.
    """

    candidate: Candidate
    status: str
    verdict: Verdict
    findings: tuple[Finding, ...]
    conditions: tuple[Condition, ...]
    cost: Node | None
    useful_margin: Figure | None
    schedule: Fact | None
    rank: int | None
    tied_with: tuple[str, ...] = ()
    cost_conditions: tuple[Condition, ...] = ()
    bill: Bill | None = None


@record
class Decision:
    """The whole of it. `figures` by id; `workload_conditions` hold for every candidate (identity).

    `loads` has every case of the fiche's workload, then those of candidates whose workload differs;
    `simulations` sets each simulation beside each of them. What follows them is derived from the rest:
    `evaluate` judges first, and says these of what it judged. `review` is what people said of a report of
    it, and changes nothing else.
    """

    fiche: Fiche
    figures: Mapping[str, Node]
    findings: tuple[Finding, ...]
    outcomes: tuple[Outcome, ...]
    second_readings: tuple[SecondReading, ...]
    workload_conditions: tuple[Condition, ...]
    conditional_choice: bool
    tool_version: str
    loads: tuple[CaseLoad, ...] = ()
    simulations: tuple[CaseBeside, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    ownerships: tuple[Ownership, ...] = ()
    settling: Settling | None = None
    invalidations: tuple[Invalidation, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    procedure: Procedure | None = None
    choosing: Choosing | None = None
    review: Review | None = None

    @property
    def chosen(self) -> Outcome | None:
        """The outcome of the candidate that is chosen; None where none is."""
        choice = self.fiche.choice
        found = (o for o in self.outcomes if choice and o.candidate.id == choice.chosen)
        return next(found, None)
