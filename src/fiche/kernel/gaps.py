"""Why does the peak exceed the estimate? The estimate made before, beside what was observed (E6).

Only the whole loop of a successful run that covers the case is set beside the case's estimate. The gap
is a difference of two numbers and is never attributed to an item: what the estimate leaves out is
named beside it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.decision import Decision
from fiche.kernel.figure import Figure, Number
from fiche.kernel.finding import Finding
from fiche.kernel.piece import Piece, Run
from fiche.kernel.readings import observation_id, observed
from fiche.kernel.record import record
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


def gaps(decision: Decision) -> Iterator[Gap]:
    """Every allocated and reserved peak that stands beside an estimate, each pair once.

    A run of a candidate's changed workload stands beside that candidate's own estimate.
    """
    seen: set[tuple[str, str]] = set()
    pieces = {piece.id: piece for piece in decision.fiche.pieces}
    loads = {c.id: c.workload for c in decision.fiche.candidates}
    for found in decision.findings:
        estimate = _estimate(decision, found)
        if found.kind != "memory" or estimate is None or split(loads[found.candidate]):
            continue
        for piece in (pieces[name] for name in found.pieces if name in pieces):
            if (piece.id, estimate.id) not in seen:
                seen.add((piece.id, estimate.id))
                yield from _of_piece(found.case, loads[found.candidate], piece, estimate)


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


def _of_piece(case: str, load: Workload, piece: Piece, estimate: Figure) -> Iterator[Gap]:
    for run in piece.reading.runs:
        covered = case_of(run, load)
        if run.outcome == "success" and run.whole_loop and (covered.id if covered else "") == case:
            yield from _of_run(case, piece, run, estimate)


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
                label = f"{seen.counter} less the estimate of case '{case}'"
                yield Gap(
                    case=case,
                    piece=piece.id,
                    run=run.id,
                    device=seen.device_index,
                    counter=seen.counter,
                    estimate=estimate,
                    observed=peak,
                    gap=(peak - estimate).named(f"{name}.gap.{case}".rstrip("."), label),
                )
