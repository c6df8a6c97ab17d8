"""What was observed: loads tested, counters, failures and what they point to (E1, C11, D7)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.piece import Failure, Piece, Run
from fiche.kernel.readings import failures, quantity
from fiche.report.counters import counters, table
from fiche.report.desk import Desk, cell, columns, row
from fiche.report.imported import imported
from fiche.report.levers import levers
from fiche.report.parts import (
    Block,
    Code,
    Missing,
    Paragraph,
    Part,
    Quoted,
    Row,
    Section,
    Words,
)
from fiche.report.tested import runs


def section(desk: Desk) -> Section:
    """Tables that have rows only; nothing observed is said in one line."""
    blocks = (*runs(desk), *counters(desk), *imported(desk), *_asynchronous(desk), *_failures(desk))
    none = Paragraph((Words(desk.word("observed_none")),))
    return Section(id="observed", title=desk.word("observed_title"), blocks=blocks or (none,))


def _failures(desk: Desk) -> Iterator[Block]:
    rows: list[Row] = []
    failed: list[Run] = []
    for piece in desk.decision.fiche.pieces:
        for name, run, failure in failures(piece):
            failed += [run] if run else []
            rows.append(_failure(desk, piece, run, failure, name))
    if rows:
        titles = columns(desk, "run", "message", "asked_for:number", "free:number")
        yield table(desk, "failures", titles, rows, 0)
        yield levers(desk, failed)


def _failure(desk: Desk, piece: Piece, run: Run | None, failure: Failure, name: str) -> Row:
    asked, free = asked_and_free(desk, failure, name)
    return row(
        cell(Code(f"{piece.id}/{run.id}" if run else piece.id)),
        cell(Quoted(failure.message or failure.message_kind)),
        cell(asked, numeric=True),
        cell(free, numeric=True),
    )


def asked_and_free(desk: Desk, failure: Failure, name: str) -> list[Part]:
    """What a failed allocation asked for, and what was free, as its message prints them."""
    told = {
        key: quantity(value, failure.pointer, key, f"{name}.{key}")
        for key, value in failure.quantities.items()
    }
    asked = told.get("requested")
    return desk.alike(
        [told.get("requested_at_least") if asked is None else asked, told.get("free")]
    )


def _asynchronous(desk: Desk) -> Iterator[Block]:
    """C6: under this allocator the reserved peak may be more than what was ever held at once."""
    for piece in desk.decision.fiche.pieces:
        for facts in (piece.reading.facts, *(run.facts for run in piece.reading.runs)):
            backend = facts.get("allocator.backend")
            if backend is not None and backend.value.lower() == "cudamallocasync":
                version = facts.get("torch") or facts.get("framework.version")
                told = Quoted(version.value) if version else Missing(desk.word("not_recorded"))
                said = desk.say("async_allocator", version=told)
                yield Paragraph((Code(piece.id), Words(": "), *said))
                return
