"""What pieces observed, each reading under one name in a report's cell and in decision.json."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.address import Pointer
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Observed, Simulated
from fiche.kernel.piece import Capacity, Failure, Observation, Piece, Printed, Result, Run
from fiche.kernel.unit import BYTE, ONE, SECOND, count_of

# The origin of what a simulation says of a counter; it stands among the plans of a reading.
COMPUTED = "computed"


def observation_id(piece: str, run: str, place: int) -> str:
    """The id of a piece's observation by its place, counted from 1: `run-4090/whole-loop.3`."""
    return f"{piece}/{run or 'reading'}.{place}"


def observations(piece: Piece) -> Iterator[tuple[str, Run | None, Observation]]:
    """Every observation of a piece with its id: those of its runs, then those of no run."""
    for run in piece.reading.runs:
        for place, seen in enumerate(run.observations, 1):
            yield observation_id(piece.id, run.id, place), run, seen
    for place, seen in enumerate(piece.reading.observations, 1):
        yield observation_id(piece.id, "", place), None, seen


def failures(piece: Piece) -> Iterator[tuple[str, Run | None, Failure]]:
    """Every failure of a piece once, with its id and the run that it ended."""
    ended = [run for run in piece.reading.runs if run.failure is not None]
    told = list(piece.reading.failures)
    told += [run.failure for run in ended if run.failure is not None and run.failure not in told]
    for place, failure in enumerate(told, 1):
        run = next((run for run in ended if run.failure == failure), None)
        yield f"{piece.id}/failure.{place}", run, failure


def capacities(piece: Piece) -> Iterator[tuple[str, Capacity]]:
    """Every total that the piece's machine printed for a device, with its id."""
    for place, capacity in enumerate(piece.reading.capacities, 1):
        yield f"{piece.id}/capacity.{place}", capacity


def observed(seen: Observation, name: str) -> Figure | None:
    """An observation as a figure of its own; None where the program printed no value (C2)."""
    origin = _origin(seen)
    if seen.value is not None:
        return printed(seen.value, origin, name)
    if seen.number is None:
        return None
    number, unit = seen.number, count_of(seen.unit)
    return Figure(low=number, high=number, unit=unit, origin=origin, id=name, label=seen.counter)


def _origin(seen: Observation) -> Observed | Simulated:
    """A reading was observed; what a simulation says of a counter is computed."""
    told = seen.value.text if seen.value else str(seen.number)
    if seen.kind_of_origin == COMPUTED:
        by = str(seen.marks.get("by", ""))
        return Simulated(
            pointer=seen.pointer, counter=seen.counter, stat=seen.stat, printed=told, by=by
        )
    return Observed(
        pointer=seen.pointer, counter=seen.counter, scope=seen.scope, stat=seen.stat, printed=told
    )


def printed(value: Printed, origin: Observed | Simulated, name: str) -> Figure | None:
    """A printed quantity as a figure, as wide as its rounding; None where there is no value."""
    if value.unavailable or value.low is None:
        return None
    return Figure(
        low=value.low, high=value.high, unit=BYTE, origin=origin, id=name, label=origin.counter
    )


def quantity(value: Printed, pointer: Pointer, counter: str, name: str) -> Figure | None:
    """A quantity of a failure or a capacity as a figure."""
    origin = Observed(pointer=pointer, counter=counter, scope="device", stat="", printed=value.text)
    return printed(value, origin, name)


def results(piece: Piece) -> Iterator[tuple[str, Result, Figure]]:
    """Every score, throughput and latency of a piece with its id, and as a figure of its own."""
    for place, result in enumerate(piece.reading.results, 1):
        name = f"{piece.id}/result.{place}"
        yield name, result, scored(result, name)


_UNITS = {"": ONE, "score": ONE, "s": SECOND}


def scored(result: Result, name: str) -> Figure:
    """A result as a figure, as wide as its printing; a score is a pure number."""
    origin = Observed(
        pointer=result.pointer,
        counter=result.metric,
        scope=result.label,
        stat=result.stat,
        printed=result.text,
    )
    return Figure(
        low=result.low,
        high=result.high,
        unit=_UNITS.get(result.unit, count_of(result.unit)),
        origin=origin,
        id=name,
        label=" ".join(filter(None, (result.metric, result.label))),
    )


def figures(piece: Piece) -> Iterator[Figure]:
    """Everything that a piece observed as figures: counters, totals, and the quantities of failures."""
    seen = [observed(reading, name) for name, _, reading in observations(piece)]
    for name, capacity in capacities(piece):
        seen.append(quantity(capacity.value, capacity.pointer, capacity.counter, name))
    for name, _, failure in failures(piece):
        for key, value in failure.quantities.items():
            seen.append(quantity(value, failure.pointer, key, f"{name}.{key}"))
    seen += [figure for _, _, figure in results(piece)]
    yield from (figure for figure in seen if figure is not None)


def planned_ids(piece: Piece) -> dict[str, str]:
    """The id of every plan of a piece by its place in the document."""
    return {
        seen.pointer.path: observation_id(piece.id, "planned", place)
        for place, seen in enumerate(piece.reading.planned, 1)
        if seen.pointer.path is not None
    }
