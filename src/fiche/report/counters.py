"""Memory counters per phase and device; each keeps its name and its scope, none is added (C3, C5, C9)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.piece import Observation, Piece, Run
from fiche.kernel.readings import capacities, observations, observed, quantity
from fiche.kernel.record import field, record
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import (
    Amount,
    Block,
    Code,
    Column,
    Missing,
    Part,
    Parts,
    Quoted,
    Row,
    Table,
    Words,
)
from fiche.report.tested import ended

# A series may hold thousands of readings: a page shows the first of them and says how many are left.
_MOST_ROWS = 40
_PLACES = {
    ("allocated", "peak"): 0,
    ("allocated", "current"): 1,
    ("reserved", "peak"): 2,
    ("reserved", "current"): 3,
}
_PROCESS = 4
LEVELS = (
    "allocated_peak",
    "allocated_current",
    "reserved_peak",
    "reserved_current",
    "process_peak",
)
_TOTALS = ("total", "capacity")
# Levels at the start of a phase are in the peaks already (C3), and whole in decision.json.
_IN_JSON_ONLY = ("start",)


@record(frozen=False, kw_only=False)
class _Other:
    """A row of another counter: `of` are the phases, or the device's name, that it was read of."""

    counter: str
    stat: str
    value: Part
    scope: str = ""
    device: int | None = None
    of: dict[str, None] = field(default_factory=dict)
    pieces: dict[str, None] = field(default_factory=dict)


_Others = dict[tuple[str, ...], _Other]
# By run, phase and device; one rank of several names its device itself.
_Levels = dict[tuple[str, str, int | None, str], list[Part | None]]


def counters(desk: Desk) -> Iterator[Block]:
    """The table of levels and the table of every other counter, where there are any."""
    levels: list[Row] = []
    others: _Others = {}
    left = 0
    for piece in desk.decision.fiche.pieces:
        by_phase: _Levels = {}
        for name, run, seen in observations(piece):
            if run is None:
                continue  # a file of another program: `report.imported` shows it in a table of its own
            place = column_of(seen)
            if place is not None:
                _keep(desk, by_phase, place, name, run, seen)
            elif seen.stat in _IN_JSON_ONLY or _repeats(by_phase, run, seen):
                left += 1
            else:
                _gather(desk, others, piece, seen, desk.measured(observed(seen, name)))
        levels += _rows(desk, piece, by_phase)
        _totals(desk, others, piece)
    if levels:
        titles = columns(desk, "run_phase", "device", *(f"{key}:number" for key in LEVELS))
        yield table(desk, "counters", titles, levels, 0)
    if others:
        titles = columns(desk, "counter", "scope", "device", "value:number", "pieces")
        yield table(desk, "other_counters", titles, list(_other_rows(desk, others)), left)


def column_of(seen: Observation) -> int | None:
    """Which column of levels a reading belongs to; None for any other counter (C5)."""
    if seen.value is None:
        return None
    if (seen.counter, seen.scope, seen.stat) == ("process_device_used", "process", "peak"):
        return _PROCESS
    if seen.scope != "process_allocator":
        return None
    return next(
        (n for (word, stat), n in _PLACES.items() if word in seen.counter and seen.stat == stat),
        None,
    )


def _key(run: Run | None, seen: Observation) -> tuple[str, str, int | None, str]:
    own = seen.marks.get("device")
    local = "" if own is None else f"{own}, rank {seen.rank}"
    return (run.id if run else "", seen.phase, seen.device_index, local)


def _keep(
    desk: Desk, by_phase: _Levels, place: int, name: str, run: Run | None, seen: Observation
) -> None:
    cells = by_phase.setdefault(_key(run, seen), [None] * len(LEVELS))
    cells[place] = cells[place] or desk.measured(observed(seen, name))


def _repeats(by_phase: _Levels, run: Run | None, seen: Observation) -> bool:
    """The end level of a process whose peak is shown adds a row and no knowledge."""
    cells = by_phase.get(_key(run, seen))
    ends = seen.scope == "process" and seen.stat == "current"
    return ends and cells is not None and cells[_PROCESS] is not None


def _rows(desk: Desk, piece: Piece, by_phase: _Levels) -> Iterator[Row]:
    told = {run.id: run for run in piece.reading.runs}
    for (run, phase, device, local), cells in by_phase.items():
        heading: Parts = (Code(f"{piece.id}/{run}".rstrip("/")),)
        if phase and not run.endswith(phase):
            heading += (Words(" "), Quoted(desk.term(phase)))
        failed = run in told and told[run].outcome != "success"
        yield row(
            cell(heading, (ended(desk, told[run]),) if failed else None),
            cell(Quoted(local) if local else desk.device(device)),
            *(cell(c or Missing(desk.word("not_measured")), numeric=True) for c in cells),
        )


def _gather(desk: Desk, others: _Others, piece: Piece, seen: Observation, value: Part) -> None:
    """Pieces and phases that say the same of one counter share a row."""
    key = (seen.counter, seen.stat, seen.scope, str(seen.device_index), _text(value))
    row_of = others.setdefault(key, _Other(counter=seen.counter, stat=seen.stat, value=value))
    row_of.scope, row_of.device = seen.scope, seen.device_index
    row_of.of.update({seen.phase: None} if seen.phase else {})
    row_of.pieces[piece.id] = None


def _totals(desk: Desk, others: _Others, piece: Piece) -> None:
    """What the machine printed as the total of a device, unless another table shows that very reading."""
    shown = {each.pointer for each in piece.reading.observations if each.stat in _TOTALS}
    for name, seen in capacities(piece):
        if seen.pointer in shown:
            continue
        value = desk.measured(quantity(seen.value, seen.pointer, seen.counter, name))
        key = (seen.counter, "total", seen.device_name, str(seen.device_index), _text(value))
        row_of = others.setdefault(key, _Other(counter=seen.counter, stat="total", value=value))
        row_of.scope, row_of.device = "device", seen.device_index
        row_of.of.update({seen.device_name: None} if seen.device_name else {})
        row_of.pieces[piece.id] = None


def _text(value: Part) -> str:
    return value.text if isinstance(value, Amount) else ""


def _other_rows(desk: Desk, others: _Others) -> Iterator[Row]:
    for told in others.values():
        stat = "" if told.counter.endswith(f"_{told.stat}") else f", {desk.term(told.stat)}"
        named: Parts = (Code(told.counter), Words(stat))
        if told.of:
            named += (Words(", "), *joined([Quoted(desk.term(name)) for name in told.of]))
        yield row(
            cell(named),
            cell(desk.term(told.scope)),
            cell(desk.device(told.device)),
            cell(told.value, numeric=True),
            cell(desk.references(told.pieces)),
        )


def table(
    desk: Desk,
    name: str,
    titles: tuple[Column, ...],
    rows: list[Row],
    left: int,
    most: int = _MOST_ROWS,
) -> Table:
    """A table that says how many readings it leaves to decision.json (law 8)."""
    left += max(len(rows) - most, 0)
    return Table(
        id=name,
        caption=desk.word(f"{name}_caption"),
        columns=titles,
        rows=tuple(rows[:most]),
        notes=(desk.say("rows_left", n=left),) if left else (),
    )
