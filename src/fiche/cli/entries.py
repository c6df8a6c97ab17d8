"""Everything that pieces tell in figures, each under the id that the report and decision.json give it."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.address import Pointer
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Observed, Simulated
from fiche.kernel.piece import Capacity, Failure, Observation, Piece, Printed, Result, Run
from fiche.kernel.readings import (
    COMPUTED,
    capacities,
    failures,
    observation_id,
    observations,
    observed,
    quantity,
    results,
)
from fiche.kernel.record import record, replace
from fiche.report.imported import decimal

READING, PLAN, TOTAL, FAILURE, QUANTITY, RESULT = (
    "reading",
    "planned",
    "capacity",
    "failure",
    "quantity",
    "result",
)


@record
class Entry:
    """One thing that a piece tells, or one quantity of a failure (`key`).

    `sort` is reading, planned, capacity, failure, quantity or result. `figure` is None for a failure, and
    where the program printed no value. `printed` is the figure as it stands in the file.
    """

    id: str
    sort: str
    piece: Piece
    told: Observation | Capacity | Failure | Result
    printed: str
    figure: Figure | None = None
    run: Run | None = None
    key: str = ""

    @property
    def computed(self) -> bool:
        """True for what a simulation computed: no plan of a program, and no observation."""
        return isinstance(self.told, Observation) and self.told.kind_of_origin == COMPUTED

    @property
    def pointer(self) -> Pointer:
        """Where it stands."""
        return self.told.pointer

    @property
    def name(self) -> str:
        """The program's own word for it."""
        if isinstance(self.told, Failure):
            return self.key or self.told.message_kind
        return self.told.metric if isinstance(self.told, Result) else self.told.counter


def entries(piece: Piece) -> Iterator[Entry]:
    """All of a piece, in the order of decision.json."""
    for name, run, seen in observations(piece):
        yield _seen(name, READING, piece, seen, run)
    for place, seen in enumerate(piece.reading.planned, 1):
        yield _seen(observation_id(piece.id, PLAN, place), PLAN, piece, seen, None)
    for name, total in capacities(piece):
        figure = quantity(total.value, total.pointer, total.counter, name)
        yield Entry(
            id=name, sort=TOTAL, piece=piece, told=total, printed=total.value.text, figure=figure
        )
    for name, run, failure in failures(piece):
        yield Entry(id=name, sort=FAILURE, piece=piece, told=failure, printed="", run=run)
        for key, value in failure.quantities.items():
            yield _quantity(f"{name}.{key}", key, value, piece, failure, run)
    for name, result, scored in results(piece):
        yield Entry(
            id=name, sort=RESULT, piece=piece, told=result, printed=result.text, figure=scored
        )


def _seen(name: str, sort: str, piece: Piece, seen: Observation, run: Run | None) -> Entry:
    figure = observed(seen, name)
    printed = seen.value.text if seen.value is not None else _number(seen)
    if figure is not None and isinstance(figure.origin, Observed | Simulated):
        figure = replace(figure, origin=replace(figure.origin, printed=printed))
    return Entry(
        id=name, sort=sort, piece=piece, told=seen, printed=printed, figure=figure, run=run
    )


def _number(seen: Observation) -> str:
    return "" if seen.number is None else decimal(seen.number)


def _quantity(
    name: str, key: str, value: Printed, piece: Piece, failure: Failure, run: Run | None
) -> Entry:
    return Entry(
        id=name,
        sort=QUANTITY,
        piece=piece,
        told=failure,
        printed=value.text,
        figure=quantity(value, failure.pointer, key, name),
        run=run,
        key=key,
    )
