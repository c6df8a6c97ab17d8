"""After a failure: the phase that failed points to a cause, and a cause to what may be changed (D7)."""

from __future__ import annotations

from fiche.kernel.piece import Run
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import Parts, State, Table, Words


def levers(desk: Desk, failed: list[Run]) -> Table:
    """The whole table, with the rows marked where something failed here."""
    return Table(
        id="levers",
        caption=desk.word("levers_caption"),
        columns=columns(desk, "failed_where", "points_to", "lever"),
        rows=tuple(
            row(
                cell((Words(where),), _seen(desk, phases, failed)),
                Words(cause),
                Words(lever),
            )
            for where, phases, cause, lever in desk.language.levers
        ),
        notes=(_remedies(desk),),
    )


def _remedies(desk: Desk) -> Parts:
    told = [(Words(f"{when}: ", strong=True), Words(what)) for when, what in desk.language.remedies]
    return joined(told, " ")


def _seen(desk: Desk, phases: frozenset[str], failed: list[Run]) -> State | None:
    here = any(run.ended_in in phases for run in failed)
    return State("exclude", "✕", desk.word("seen_here")) if here else None
