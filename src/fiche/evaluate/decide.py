"""From a loaded fiche to a decision: requirements completed, each candidate judged, then ordered."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.criteria import _conditions
from fiche.criteria._package import Package, package, told_basis
from fiche.criteria._stale import aged
from fiche.evaluate import identity, order
from fiche.evaluate.findings import judged, second_readings, supposing
from fiche.evaluate.invalidation import invalidations
from fiche.evaluate.loads import case_loads, figures_of, loads_of
from fiche.evaluate.ownership import ownerships
from fiche.evaluate.rejudge import Judged, Ready
from fiche.evaluate.remedies import remedies
from fiche.evaluate.settling import settling
from fiche.kernel.alternative import Alternative
from fiche.kernel.beside import CaseBeside
from fiche.kernel.choice import Choosing
from fiche.kernel.comparison import CaseLoad, Inquiry, LoadItem
from fiche.kernel.condition import Condition
from fiche.kernel.decision import Decision, Fiche, Outcome
from fiche.kernel.doors import Criterion, Estimator, Vendor
from fiche.kernel.figure import Node
from fiche.kernel.finding import Finding, SecondReading, Verdict
from fiche.kernel.piece import Piece
from fiche.kernel.procedure import Procedure
from fiche.kernel.record import record, replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.simulation import SIMULATION

_STATUS = {
    Verdict.ADMISSIBLE: "retained",
    Verdict.TO_CONFIRM: "to_confirm",
    Verdict.EXCLUDE: "excluded",
}
_ALWAYS = ("memory", "quality")

Loads = Mapping[str, tuple[LoadItem, ...]]


@record
class Doors:
    """The members that the shell found by listing the rooms; `ready` knows what ready workloads run."""

    estimators: tuple[Estimator, ...]
    criteria: tuple[Criterion, ...]
    vendors: tuple[Vendor, ...]
    ready: Ready | None = None


def decide(fiche: Fiche, doors: Doors, tool_version: str) -> Decision:
    """Judge every requirement on every candidate. Pure: the same fiche gives the same decision."""

    def again(changed: Fiche) -> Decision:
        return judged_fiche(changed, doors, tool_version)

    found = Judged(decision=again(fiche), again=again, ready=doors.ready)
    return replace(
        found.decision,
        alternatives=_alternatives(found),
        ownerships=ownerships(found),
        settling=settling(found),
        invalidations=invalidations(found),
        remedies=remedies(found),
        procedure=_procedure(found),
        choosing=_choosing(found),
    )


def judged_fiche(
    fiche: Fiche, doors: Doors, tool_version: str, known: tuple[Candidate, ...] = ()
) -> Decision:
    """The decision as far as it is judged: findings, outcomes and their order, without what is derived.

    `known` are candidates that a requirement may name, such as a baseline, where they are not those judged.
    """
    requirements = completed(fiche.requirements)
    criteria = {criterion.name: criterion for criterion in doors.criteria}
    open_identity = identity.conditions(fiche.workload)
    figures = figures_of(fiche, doors.estimators)
    bench = _bench(fiche, doors, requirements, figures, unnamed=bool(open_identity), known=known)
    judged_candidates = [
        _candidate(bench, candidate, requirements, criteria) for candidate in fiche.candidates
    ]
    outcomes = order.ranked(
        tuple(outcome for outcome, _ in judged_candidates), fiche.policy.tie_tolerance
    )
    loads = case_loads(fiche, doors.estimators, figures)
    return Decision(
        fiche=_with(fiche, requirements),
        figures=figures,
        findings=tuple(f for outcome in outcomes for f in outcome.findings),
        outcomes=outcomes,
        second_readings=tuple(s for _, second in judged_candidates for s in second),
        workload_conditions=open_identity,
        conditional_choice=_conditional(fiche, outcomes),
        tool_version=tool_version,
        loads=loads,
        simulations=_besides(fiche, loads, bench),
    )


def _besides(fiche: Fiche, loads: tuple[CaseLoad, ...], bench: _Bench) -> tuple[CaseBeside, ...]:
    """Simulations beside the formulas; their code is loaded where there is one."""
    if not any(piece.reading.kind == SIMULATION for piece in fiche.pieces):
        return ()
    from fiche.evaluate.beside import besides

    return besides(fiche, loads, lambda load: _inquiry(bench, load))


def _alternatives(found: Judged) -> tuple[Alternative, ...]:
    """What differs from a baseline; its code is loaded where a candidate names one."""
    if not any(one.baseline for one in found.decision.fiche.candidates):
        return ()
    from fiche.evaluate.alternatives import alternatives

    return alternatives(found)


def _procedure(found: Judged) -> Procedure | None:
    """The need's total beside thresholds; its code is loaded where there is one of either."""
    fiche = found.decision.fiche
    rules = fiche.policy.thresholds
    if not (rules.bands or rules.quotes or fiche.similar_orders):
        return None
    from fiche.evaluate.procedure import procedure

    return procedure(found)


def _choosing(found: Judged) -> Choosing | None:
    """What follows from a choice; its code is loaded where one is recorded."""
    if found.decision.fiche.choice is None:
        return None
    from fiche.evaluate.choosing import choosing

    return choosing(found)


def _by_id(fiche: Fiche, *, simulated: bool) -> tuple[Piece, ...]:
    """Pieces by their ids; those that were computed stand apart, where no first reading looks (DESIGN 4)."""
    chosen = (p for p in fiche.pieces if (p.reading.kind == SIMULATION) is simulated)
    return tuple(sorted(chosen, key=lambda piece: piece.id))


def completed(requirements: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    """Memory and quality are musts even when the fiche omits them, or lists them as mere wants."""
    musts = {r.kind for r in requirements if r.level == "must"}
    implied = tuple(_implied(kind, requirements) for kind in _ALWAYS if kind not in musts)
    return (*implied, *requirements)


def _implied(kind: str, requirements: tuple[Requirement, ...]) -> Requirement:
    name = _free(kind, requirements)
    return Requirement(
        id=name, kind=kind, level="must", span=None, figures={}, facts={}, implied=True
    )


def _free(name: str, requirements: tuple[Requirement, ...]) -> str:
    taken = {r.id for r in requirements}
    return name if name not in taken else f"{name}-always-required"


def _with(fiche: Fiche, requirements: tuple[Requirement, ...]) -> Fiche:
    return replace(fiche, requirements=requirements)


@record
class _Bench:
    """What every candidate of one decision is judged with; `basis` is the tax basis of all costs.

    Pieces are in the order of their ids, so that the order of a fiche says nothing. `known` stands for the
    fiche's candidates wherever a criterion looks at others than the one it judges.
    """

    fiche: Fiche
    doors: Doors
    figures: Mapping[str, Node]
    pieces: tuple[Piece, ...]
    simulations: tuple[Piece, ...]
    unnamed: bool
    basis: str = ""
    known: tuple[Candidate, ...] = ()


def _bench(
    fiche: Fiche,
    doors: Doors,
    requirements: tuple[Requirement, ...],
    figures: Mapping[str, Node],
    *,
    unnamed: bool,
    known: tuple[Candidate, ...] = (),
) -> _Bench:
    bench = _Bench(
        fiche=fiche,
        doors=doors,
        figures=figures,
        pieces=_by_id(fiche, simulated=False),
        simulations=_by_id(fiche, simulated=True),
        unnamed=unnamed,
        known=known,
    )
    return replace(bench, basis=_basis(bench, requirements))


def standing(fiche: Fiche, doors: Doors) -> tuple[Inquiry, str, bool]:
    """What a candidate with the fiche's own workload is judged with, without any candidate.

    The inquiry, the tax basis of costs, and whether the workload's identity is open (A1).
    """
    figures = figures_of(fiche, doors.estimators)
    unnamed = bool(identity.conditions(fiche.workload))
    bench = _bench(fiche, doors, completed(fiche.requirements), figures, unnamed=unnamed)
    loads = loads_of(fiche.workload, doors.estimators, "", figures)
    return _inquiry(bench, loads), bench.basis, unnamed


def _basis(bench: _Bench, requirements: tuple[Requirement, ...]) -> str:
    ground = _inquiry(bench, {})
    return order.basis_of(requirements, (told_basis(c, ground) for c in bench.fiche.candidates))


def _candidate(
    bench: _Bench,
    candidate: Candidate,
    requirements: tuple[Requirement, ...],
    criteria: Mapping[str, Criterion],
) -> tuple[Outcome, tuple[SecondReading, ...]]:
    firm = _inquiry(bench, _loads(bench, candidate))
    guessing = replace(firm, assume=True)
    findings: list[Finding] = []
    second: list[SecondReading] = []
    for requirement in requirements:
        criterion = criteria[requirement.kind]
        found = tuple(judged(criterion, requirement, candidate, firm))
        found = supposing(criterion, requirement, candidate, found, guessing)
        findings.extend(found)
        second.extend(second_readings(found))
    return _outcome(bench, candidate, tuple(findings), firm), tuple(second)


def _loads(bench: _Bench, candidate: Candidate) -> Loads:
    prefix = _prefix(bench.fiche, candidate)
    return loads_of(candidate.workload, bench.doors.estimators, prefix, bench.figures)


def _inquiry(bench: _Bench, loads: Loads) -> Inquiry:
    fiche, doors = bench.fiche, bench.doors
    return Inquiry(
        base=fiche.workload,
        pieces=bench.pieces,
        simulations=bench.simulations,
        policy=fiche.policy,
        date=fiche.date,
        loads=loads,
        vendors={vendor.name: vendor for vendor in doors.vendors},
        purchase=fiche.purchase,
        candidates=bench.known or fiche.candidates,
    )


def _prefix(fiche: Fiche, candidate: Candidate) -> str:
    """Figures of a changed workload carry the candidate's id, so that ids stay unique."""
    return "" if candidate.workload is fiche.workload else f"{candidate.id}/"


def _outcome(
    bench: _Bench, candidate: Candidate, findings: tuple[Finding, ...], ground: Inquiry
) -> Outcome:
    worst = max((f.verdict for f in findings if f.level == "must"), default=Verdict.TO_CONFIRM)
    if bench.unnamed:
        worst = max(worst, Verdict.TO_CONFIRM)  # A1: on no identity, no candidate is retained
    priced = aged("cost", candidate, ground)
    currency = bench.fiche.purchase.currency
    bought = package(priced.candidate, bench.basis, priced.ground, currency)
    return Outcome(
        candidate=candidate,
        status=_STATUS[worst],
        verdict=worst,
        findings=findings,
        conditions=order.merged(findings),
        cost=bought.cost if bought else None,
        useful_margin=order.least_margin(findings),
        schedule=order.schedule(candidate, aged("delivery", candidate, ground).ground),
        rank=None,
        cost_conditions=_cost_conditions(bought),
        bill=bought.bill if bought else None,
    )


def _cost_conditions(bought: Package | None) -> tuple[Condition, ...]:
    """What keeps a cost from being known: it is shown, and not ranked."""
    if bought is None or bought.known:
        return ()
    apart = (*bought.conflicts, *bought.short, *bought.apart)
    conflicts = (_conditions.conflict(text) for text in apart)
    return (*conflicts, *bought.open, *bought.guesses)


def _conditional(fiche: Fiche, outcomes: tuple[Outcome, ...]) -> bool:
    chosen = fiche.choice.chosen if fiche.choice else "none"
    return any(o.candidate.id == chosen and o.status != "retained" for o in outcomes)
