"""What was observed: loads tested, counters, failures and what they point to (E1, C11, D7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fiche.kernel.piece import Failure, Piece, Run
from fiche.kernel.readings import failures
from fiche.kernel.record import field, record
from fiche.report.counters import counters, table
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.imported import imported, named, place_of
from fiche.report.levers import levers
from fiche.report.parts import (
    Block,
    Code,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Reference,
    Row,
    Section,
    Words,
)
from fiche.report.results import results
from fiche.report.tested import asked_and_free, runs
from fiche.report.timeline import timelines
from fiche.report.together import told_together


def section(desk: Desk) -> Section:
    """Tables that have rows only; nothing observed is said in one line."""
    blocks = (
        *runs(desk),
        *told_together(desk),
        *counters(desk),
        *_pictures(desk),
        *_windows(desk),
        *imported(desk),
        *results(desk),
        *_asynchronous(desk),
        *_failures(desk),
    )
    none = Paragraph((Words(desk.word("observed_none")),))
    return Section(id="observed", title=desk.word("observed_title"), blocks=blocks or (none,))


def _pictures(desk: Desk) -> Iterator[Block]:
    """Peaks phase by phase, and peaks at several sizes; loaded here, for page one has its own picture."""
    from fiche.report import phases, series

    yield from phases.pictures(desk)
    yield from series.pictures(desk)


def _windows(desk: Desk) -> Iterator[Block]:
    """A picture for each device of a cited snapshot, under the piece that it is of (C4, C12)."""
    for piece in desk.decision.fiche.pieces:
        name = f"window-{piece.id}"
        computed = piece.reading.simulation is not None
        drawn = (
            () if computed else timelines(piece.reading, name, desk.language.phrases, desk.style)
        )
        if drawn:
            labels = (
                (Words(" "), *desk.say("timeline_labels")) if any(d.bands for d in drawn) else ()
            )
            told = (Reference(piece.id), Words(": "), *desk.say("timeline_caption"), *labels)
            yield Paragraph(told)
            yield from drawn


def _failures(desk: Desk) -> Iterator[Block]:
    told: dict[object, _Failed] = {}
    failed: list[Run] = []
    for piece in desk.decision.fiche.pieces:
        alike: Counter[object] = Counter()
        for name, run, failure in failures(piece):
            failed += [run] if run else []
            event = _event(failure, name)
            alike[event] += 1  # one piece tells of each failure once: equal ones in it are several
            one = _Failed(piece, run, failure, name)
            told.setdefault((event, alike[event]), one).pieces[piece.id] = None
    rows = [_failure(desk, each) for each in told.values()]
    if rows:
        titles = columns(desk, "run", "message", "device", "asked_for:number", "free:number")
        yield table(desk, "failures", titles, rows, 0)
        yield levers(desk, failed)


@record(frozen=False, kw_only=False)
class _Failed:
    """A failure as the first piece tells it; `pieces` are all that tell it, with the same figures."""

    piece: Piece
    run: Run | None
    failure: Failure
    name: str
    pieces: dict[str, None] = field(default_factory=dict)


def _event(failure: Failure, name: str) -> object:
    """What makes two pieces tell of one failure: every figure alike; without figures nobody can say."""
    if not failure.quantities:
        return name
    figures = tuple((key, value.text) for key, value in sorted(failure.quantities.items()))
    others = tuple((process.pid, process.in_use.text) for process in failure.other_processes)
    who = (failure.message_kind, failure.backend, failure.device_index, failure.rank)
    return (*who, figures, others)


def _failure(desk: Desk, told: _Failed) -> Row:
    piece, run, failure = told.piece, told.run, told.failure
    asked, free = asked_and_free(desk, failure, told.name)
    again = [other for other in told.pieces if other != piece.id]
    also = (Words(desk.word("also_in") + " "), *desk.references(again)) if again else None
    return row(
        cell(
            named(piece.id, told.name),
            (Code(f"{piece.id}/{run.id}"),) if run is not None and run.phases else None,
            (Quoted(place_of(failure.pointer)),),
            also,
        ),
        cell(Quoted(failure.message or failure.message_kind)),
        cell(_where(desk, failure)),
        cell(asked, numeric=True),
        cell(free, numeric=True),
        anchor=told.name,
    )


def _where(desk: Desk, failure: Failure) -> Parts:
    """The device, and who printed the message, as far as the log tells."""
    rank = "" if failure.rank is None else f"rank {failure.rank}"
    who = [Quoted(word) for word in (rank, failure.speaker) if word]
    device = () if who and failure.device_index is None else desk.device(failure.device_index)
    return (*device, Words(", "), *joined(who)) if device and who else (*device, *joined(who))


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
