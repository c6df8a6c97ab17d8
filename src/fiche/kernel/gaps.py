"""Why does the peak exceed the estimate? The estimate made before, beside what was observed (E6).

Only the whole loop of a successful run that covers the case is set beside the case's estimate. The gap
is a difference of two numbers and is never attributed to an item: what the estimate leaves out is
named beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fiche.kernel.decision import Decision
from fiche.kernel.figure import Figure, Node
from fiche.kernel.finding import Finding
from fiche.kernel.piece import Piece, Run
from fiche.kernel.readings import observation_id, observed
from fiche.kernel.workload import Case, Workload

# Requests that merely wait are not resident (A4): a run need not have had as many.
_WAITING = "concurrent_requests"


@dataclass(frozen=True, slots=True, kw_only=True)
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
    """Every allocated and reserved peak that stands beside an estimate, each pair once."""
    pieces = {piece.id: piece for piece in decision.fiche.pieces}
    loads = {c.id: c.workload for c in decision.fiche.candidates}
    seen: set[tuple[str, str, str]] = set()
    for found in decision.findings:
        estimate = _estimate(decision, found)
        for piece in (pieces[id] for id in found.pieces if id in pieces):
            key = (found.case, piece.id, estimate.id if estimate is not None else "")
            if found.kind == "memory" and estimate is not None and key not in seen:
                seen.add(key)
                yield from _of_piece(found.case, loads[found.candidate], piece, estimate)


def _estimate(decision: Decision, found: Finding) -> Node | None:
    """The envelope of the finding's case: the candidate's own where its workload is changed."""
    name = f"{found.case}.envelope" if found.case else "envelope"
    return decision.figures.get(f"{found.candidate}/{name}", decision.figures.get(name))


def _of_piece(case: str, load: Workload, piece: Piece, envelope: Node) -> Iterator[Gap]:
    asked = next((c for c in load.cases if c.id == case), None)
    for run in piece.reading.runs:
        if run.outcome == "success" and run.whole_loop and _covers(run, asked):
            yield from _of_run(case, piece, run, envelope)


def _covers(run: Run, asked: Case | None) -> bool:
    """True where each dimension that the run tells reaches the case's own."""
    wanted = asked.dimensions if asked else {}
    return all(
        run.executed[name].low >= size.low
        for name, size in wanted.items()
        if name in run.executed and name != _WAITING
    )


def _of_run(case: str, piece: Piece, run: Run, envelope: Node) -> Iterator[Gap]:
    if not isinstance(envelope, Figure) or envelope.high is None:
        return  # an open estimate has no gap: what it lacks is said where the estimate stands
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
                    estimate=envelope,
                    observed=peak,
                    gap=(peak - envelope).named(f"{name}.gap.{case}".rstrip("."), label),
                )

