"""Why does the peak exceed the estimate? The estimate made before, beside what was observed (E6).

Only the whole loop of a successful run of this load that reached the case is set beside the case's
estimate. The gap is a difference of two numbers and is never attributed to an item: what the estimate
leaves out is named beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.kernel.decision import Decision, Fiche
from fiche.kernel.figure import Figure, Number
from fiche.kernel.finding import Finding
from fiche.kernel.piece import Piece, Run
from fiche.kernel.readings import observation_id, observed
from fiche.kernel.record import record
from fiche.kernel.requirement import Policy
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

# Requests that merely wait are not resident (A4): a run need not have had as many.
_WAITING = "concurrent_requests"


@record
class Gap:
    """One estimate beside one observed peak of one device; `estimate.left_out` names the rest."""

    case: str
    piece: str
    run: str
    device: int | None
    counter: str
    estimate: Figure
    observed: Figure
    gap: Figure

    @property
    def of(self) -> str:
        """What the estimate is of: a case, with the candidate whose own load it is."""
        return _of(self.estimate)


def _of(estimate: Figure) -> str:
    return estimate.id.removesuffix("envelope").rstrip("./")


def gaps(decision: Decision) -> Iterator[Gap]:
    """Every allocated and reserved peak that stands beside an estimate, each pair once.

    A run of a candidate's changed workload stands beside that candidate's own estimate.
    """
    pieces = {piece.id: piece for piece in decision.fiche.pieces}
    loads = {c.id: c.workload for c in decision.fiche.candidates}
    told: dict[str, Gap] = {}
    for found in decision.findings:
        estimate, load = _estimate(decision, found), loads[found.candidate]
        if found.kind != "memory" or estimate is None or split(load):
            continue
        for piece in (pieces[name] for name in found.pieces if name in pieces):
            for run in _runs(found.case, load, piece, decision.fiche):
                told |= {gap.gap.id: gap for gap in _of_run(found.case, piece, run, estimate)}
    yield from told.values()


def split(load: Workload) -> bool:
    """True where a load is spread over devices: its estimate is of no single device (D4)."""
    devices = load.figures.get("placement.devices")
    return devices is not None and devices.low > 1


def _estimate(decision: Decision, found: Finding) -> Figure | None:
    """The envelope of the finding's case, the candidate's own where its workload is changed.

    An open estimate has no gap: what it lacks is said where the estimate stands.
    """
    name = f"{found.case}.envelope" if found.case else "envelope"
    node = decision.figures.get(f"{found.candidate}/{name}", decision.figures.get(name))
    return node if isinstance(node, Figure) and node.high is not None else None


def _runs(case: str, load: Workload, piece: Piece, fiche: Fiche) -> Iterator[Run]:
    """The piece's successful whole loops of this load whose most demanding case is this one."""
    for run in piece.reading.runs:
        covered = case_of(run, load)
        reached = (covered.id if covered else "") == case
        ended_well = run.outcome == "success" and run.whole_loop
        if ended_well and reached and _ran(load, piece, run, fiche):
            yield run


def _ran(load: Workload, piece: Piece, run: Run, fiche: Fiche) -> bool:
    """True unless the run is told to be of another load, by any fact that is strict for memory.

    What a candidate changed must be told: nothing else says that the run had that change.
    """
    by_word = _words(fiche.workload) if "case" in piece.typed else {}
    facts = {**piece.typed, **piece.reading.facts, **run.facts}
    told = by_word | {path: fact.value for path, fact in facts.items()}
    own, base = _words(load), _words(fiche.workload)
    strict = _strict(fiche.policy, own)
    return all(
        told[path].casefold() == value.casefold() if path in told else base.get(path) == value
        for path, value in own.items()
        if path in strict or base.get(path) != value
    )


def _words(load: Workload) -> dict[str, str]:
    counts = {path: str(figure.low) for path, figure in load.figures.items()}
    return counts | {path: fact.value for path, fact in load.facts.items()}


def _strict(policy: Policy, own: Mapping[str, str]) -> set[str]:
    """The paths of this load that are strict for memory; `method.*` stands for all that it starts."""
    listed = (policy.strict.get(name, ()) for name in ("memory", f"memory.{own.get('operation')}"))
    entries = [path for group in listed for entry in group for path in entry.split("|")]
    heads = tuple(entry[:-1] for entry in entries if entry.endswith(".*"))
    return {path for path in own if path in entries or path.startswith(heads)}


def case_of(run: Run, load: Workload) -> Case | None:
    """The most demanding case whose every dimension the run reached: the later one among equals."""
    reached = [case for case in load.cases if reaches(run, case)]
    return max(enumerate(reached), key=lambda p: (_demand(p[1]), p[0]))[1] if reached else None


def reaches(run: Run, case: Case) -> bool:
    """Every dimension must be told: a run that does not say what it ran reaches nothing."""
    wanted = {name: size for name, size in case.dimensions.items() if name != _WAITING}
    return bool(wanted) and all(
        name in run.executed and run.executed[name].low >= size.low for name, size in wanted.items()
    )


def _demand(case: Case) -> Number:
    """A product of dimensions: it only orders cases of one workload, and is never printed."""
    product: Number = 1
    for name, size in case.dimensions.items():
        product *= 1 if name == _WAITING else size.low
    return product


def _of_run(case: str, piece: Piece, run: Run, estimate: Figure) -> Iterator[Gap]:
    for place, seen in enumerate(run.observations, 1):
        if seen.counter in ("max_memory_allocated", "max_memory_reserved") and seen.stat == "peak":
            name = observation_id(piece.id, run.id, place)
            peak = observed(seen, name)
            if peak is not None:
                label = tell(
                    "{counter} less the estimate of case '{case}'", counter=seen.counter, case=case
                )
                yield Gap(
                    case=case,
                    piece=piece.id,
                    run=run.id,
                    device=seen.device_index,
                    counter=seen.counter,
                    estimate=estimate,
                    observed=peak,
                    gap=(peak - estimate).named(f"{name}.gap.{_of(estimate)}".rstrip("."), label),
                )
