"""What was observed: loads tested, the four counters per phase and device, failures (E1, C3, C9, C11)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Figure
from fiche.kernel.piece import Observation, Piece, Run
from fiche.kernel.readings import capacities, failures, observations, observed, quantity
from fiche.report.desk import Desk, cell, columns, group, joined, row
from fiche.report.levers import levers
from fiche.report.parts import (
    Block,
    Cell,
    Code,
    Missing,
    Paragraph,
    Part,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)

# A series may hold thousands of readings: a page shows the first of them and says how many are left.
_MOST_ROWS = 48
_FOUR = {
    ("allocated", "peak"): 0,
    ("allocated", "current"): 1,
    ("reserved", "peak"): 2,
    ("reserved", "current"): 3,
}
_NANOSECONDS = 1_000_000_000


def section(desk: Desk) -> Section:
    """Tables that have rows only; nothing observed is said in one line."""
    pieces = desk.decision.fiche.pieces
    blocks: list[Block] = [*_runs(desk, pieces), *_counters(desk, pieces), *_failures(desk, pieces)]
    blocks += [*_asynchronous(desk, pieces)]
    none = Paragraph((Words(desk.word("observed_none")),))
    return Section(id="observed", title=desk.word("observed_title"), blocks=tuple(blocks) or (none,))


# --- Loads tested ---------------------------------------------------------------------------------


def _runs(desk: Desk, pieces: tuple[Piece, ...]) -> Iterator[Block]:
    runs = [(piece, run) for piece in pieces for run in piece.reading.runs]
    largest = _largest([run for _, run in runs if run.outcome == "success" and run.whole_loop])
    rows = tuple(_run(desk, piece, run, run is largest) for piece, run in runs)
    if rows:
        yield Table(
            id="runs",
            caption=desk.word("runs_caption"),
            columns=columns(desk, "run", "executed", "outcome", "duration:number"),
            rows=rows,
        )


def _run(desk: Desk, piece: Piece, run: Run, largest: bool) -> Row:
    marked = (Words(desk.word("largest"), strong=True),) if largest else None
    checked = desk.say("output_checked", check=Quoted(run.output_check))
    return row(
        cell((Code(f"{piece.id}/{run.id}"),), protocol(desk, run)),
        cell(sizes(desk, piece, run), marked),
        cell(
            outcome(desk, run),
            checked if run.output_check else (Words(desk.word("output_unchecked")),),
        ),
        cell(_duration(desk, run), numeric=True),
    )


def outcome(desk: Desk, run: Run) -> Part:
    """Success or failure, by glyph and word."""
    code = {"success": "admissible", "failure": "exclude", "failed": "exclude"}.get(run.outcome)
    words = {code or "to_confirm": desk.term(run.outcome)}
    return desk.state(code or "to_confirm", words)


def protocol(desk: Desk, run: Run) -> Parts:
    """Whole loop or phase by phase, first pass or after warm-up, and the phases gone through."""
    told = [desk.word("loop" if run.whole_loop else "phased")]
    told.append(desk.word("first_pass" if run.first_pass else "later_pass"))
    phases: Parts = (Words(" · "), *joined([Quoted(desk.term(p)) for p in run.phases]))
    return (Words(", ".join(told)), *(phases if run.phases else ()))


def sizes(desk: Desk, piece: Piece, run: Run) -> Parts:
    """The dimensions that were executed; one that was declared otherwise says both (A3)."""
    told: list[Parts] = []
    for name, size in {**piece.typed_dimensions, **run.executed}.items():
        asked = run.declared.get(name)
        shown: Parts = (desk.amount(size),)
        if not str(size.unit):
            shown = (Words(f"{desk.term(name)} "), *shown)
        if asked is not None and (asked.low, asked.high) != (size.low, size.high):
            differs = desk.say("declared_shape", value=desk.amount(asked))
            shown = (*shown, Words(" ("), *differs, Words(")"))
        told.append(shown)
    return joined(told) if told else (Missing(desk.word("not_recorded")),)


def _largest(runs: list[Run]) -> Run | None:
    """The run that no other exceeds in any dimension, where one stands above all (E1)."""

    def reaches(high: Run, low: Run) -> bool:
        return all(
            name in high.executed and high.executed[name].low >= size.low
            for name, size in low.executed.items()
        )

    above = [run for run in runs if run.executed and all(reaches(run, other) for other in runs)]
    return above[0] if above else None


def _duration(desk: Desk, run: Run) -> Part:
    if run.duration_ns is None:
        return Missing(desk.word("not_recorded"))
    # Tenths of a second tell loads apart; decision.json has the nanoseconds.
    tenths = (run.duration_ns * 10 + _NANOSECONDS // 2) // _NANOSECONDS
    return Words(f"{tenths // 10}{desk.style.decimal}{tenths % 10}{desk.style.space}s")


# --- Counters -------------------------------------------------------------------------------------


def place_of(seen: Observation) -> int | None:
    """Which of the four columns a reading belongs to; None for any other counter (C5)."""
    if seen.scope != "process_allocator" or seen.value is None:
        return None
    for (word, stat), place in _FOUR.items():
        if word in seen.counter and seen.stat == stat and "%" not in seen.counter:
            return place
    return None


def _counters(desk: Desk, pieces: tuple[Piece, ...]) -> Iterator[Block]:
    four: list[Row] = []
    others: list[Row] = []
    for piece in pieces:
        by_phase: dict[tuple[str, str, int | None], list[Part | None]] = {}
        for name, run, seen in observations(piece):
            place = place_of(seen)
            if place is None:
                others.append(_other(desk, piece, run, seen, _value(desk, seen, name)))
                continue
            key = (run.id if run else "", seen.phase or seen.label, seen.device_index)
            cells = by_phase.setdefault(key, [None, None, None, None])
            cells[place] = cells[place] or _value(desk, seen, name)
        four += _levels(desk, piece, by_phase)
        others += _totals(desk, piece)
    if four:
        keys = ("allocated_peak", "allocated_current", "reserved_peak", "reserved_current")
        titles = columns(desk, "phase", "device", *(f"{key}:number" for key in keys))
        yield _table(desk, "counters", titles, four)
    if others:
        titles = columns(desk, "counter", "run", "scope", "device", "value:number")
        yield _table(desk, "other_counters", titles, others)


def _table(desk: Desk, name: str, titles: tuple[object, ...], rows: list[Row]) -> Table:
    left = len(rows) - _MOST_ROWS
    return Table(
        id=name,
        caption=desk.word(f"{name}_caption"),
        columns=titles,  # type: ignore[arg-type]
        rows=tuple(rows[:_MOST_ROWS]),
        notes=(desk.say("rows_left", n=left),) if left > 0 else (),
    )


def _levels(
    desk: Desk, piece: Piece, by_phase: dict[tuple[str, str, int | None], list[Part | None]]
) -> Iterator[Row]:
    runs = {run.id: run for run in piece.reading.runs}
    last = None
    for (run, phase, device), cells in by_phase.items():
        if run != last:
            last = run
            ended = (outcome(desk, runs[run]), Words(" — ")) if run in runs else ()
            yield group(*ended, Code(f"{piece.id}/{run}".rstrip("/")))
        named = Quoted(desk.term(phase)) if phase else Missing(desk.word("no_phase"))
        yield row(
            named,
            cell(desk.device(device)),
            *(cell(c or Missing(desk.word("not_measured")), numeric=True) for c in cells),
        )


def _value(desk: Desk, seen: Observation, name: str) -> Part:
    return desk.measured(observed(seen, name))


def _other(desk: Desk, piece: Piece, run: Run | None, seen: Observation, value: Part) -> Row:
    phase = seen.phase or seen.label
    return row(
        cell((Code(seen.counter),), (Words(desk.term(seen.stat)),)),
        cell(Code(f"{piece.id}/{run.id}" if run else piece.id), Quoted(phase) if phase else None),
        Words(desk.term(seen.scope)),
        cell(desk.device(seen.device_index)),
        cell(value, numeric=True),
    )


def _totals(desk: Desk, piece: Piece) -> Iterator[Row]:
    """What the machine printed as the total of a device, and what others held there."""
    for name, seen in capacities(piece):
        figure = quantity(seen.value, seen.pointer, seen.counter, name)
        value = desk.measured(figure)
        yield row(
            cell((Code(seen.counter),), (Words(desk.term("total")),)),
            cell(Code(piece.id), Quoted(seen.device_name) if seen.device_name else None),
            Words(desk.term("device")),
            cell(desk.device(seen.device_index)),
            cell(value, numeric=True),
        )


# --- Failures -------------------------------------------------------------------------------------


def _failures(desk: Desk, pieces: tuple[Piece, ...]) -> Iterator[Block]:
    rows: list[Row] = []
    failed: list[Run] = []
    for piece in pieces:
        for name, run, failure in failures(piece):
            failed += [run] if run else []
            amounts = {
                key: quantity(value, failure.pointer, key, f"{name}.{key}")
                for key, value in failure.quantities.items()
            }
            rows.append(_failure(desk, piece, run, failure.message or failure.message_kind, amounts))
    if rows:
        titles = columns(desk, "run", "message", "asked_for:number", "free:number")
        yield _table(desk, "failures", titles, rows)
        yield levers(desk, failed)


def _failure(
    desk: Desk, piece: Piece, run: Run | None, message: str, amounts: dict[str, Figure | None]
) -> Row:
    def shown(*keys: str) -> Cell:
        known = [figure for key in keys if (figure := amounts.get(key)) is not None]
        return cell(desk.measured(known[0] if known else None), numeric=True)

    return row(
        cell(Code(f"{piece.id}/{run.id}" if run else piece.id)),
        cell(Quoted(message)),
        shown("requested", "requested_at_least"),
        shown("free"),
    )


def _asynchronous(desk: Desk, pieces: tuple[Piece, ...]) -> Iterator[Block]:
    """C6: under this allocator the reserved peak may be more than what was ever held at once."""
    for piece in pieces:
        for facts in (piece.reading.facts, *(run.facts for run in piece.reading.runs)):
            backend = facts.get("allocator.backend")
            if backend is not None and backend.value.lower() == "cudamallocasync":
                version = facts.get("torch")
                told = Quoted(version.value) if version else Missing(desk.word("not_recorded"))
                yield Paragraph((Code(piece.id), Words(": "), *desk.say("async_allocator", version=told)))
                return


