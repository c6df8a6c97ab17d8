"""What files of other programs say: each counter with its scope, its window and its line (C3, C5, C13).

Levels of a run that fiche itself recorded stand in a table of their own. Here every figure keeps the
program's own name for it; plans (budgets, estimates) stand apart, for they were never measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.kernel.address import Pointer
from fiche.kernel.figure import Number
from fiche.kernel.piece import Observation, Piece
from fiche.kernel.places import place_of as stands
from fiche.kernel.readings import observation_id, observed
from fiche.kernel.series import Told, told
from fiche.report.counters import table
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.numbers import Style, fine, rounded
from fiche.report.parts import Block, Code, Missing, Parts, Quoted, Reference, Row, Words

_PLANS = ("estimated", "budget")
# Rows for all pieces together, and for each at least.
_MOST_ROWS, _LEAST_ROWS = 60, 12
_UNGROUPED = Style(group="")
_WORDS_OF = ("start", "stage", "buffer", "process", "pid", "type", "bus_id", "uuid", "host")


def imported(desk: Desk) -> Iterator[Block]:
    """The table of what files state as measured, and the one of what they only planned."""
    for name, plans in (("imported", False), ("planned", True)):
        pieces = desk.decision.fiche.pieces
        most = max(_LEAST_ROWS, _MOST_ROWS // max(len(pieces), 1))
        shown = [
            (piece, row) for piece in pieces for row in told(_readings(piece, plans=plans), most)
        ]
        left = sum(row.series.count - 1 for _, row in shown if not row.alone)
        if shown:
            titles = columns(desk, "counter", "scope", "device", "value:number", "place")
            rows = [_row(desk, *one) for one in shown]
            yield table(desk, name, titles, rows, left, most=len(rows))


def _readings(piece: Piece, *, plans: bool) -> Iterable[tuple[str, Observation]]:
    reading = piece.reading
    if plans and reading.simulation is not None:
        return ()  # a section of its own tells it
    chosen, run = (reading.planned, "planned") if plans else (reading.observations, "")
    return ((observation_id(piece.id, run, place), seen) for place, seen in enumerate(chosen, 1))


def _row(desk: Desk, piece: Piece, row_of: Told) -> Row:
    seen, several = row_of.seen, _several(desk, row_of)
    value = _value(desk, seen, row_of.id)
    return row(
        cell(_counter(desk, seen), _labels(seen, whole=not several)),
        cell(
            desk.term(seen.scope),
            desk.word(f"origin_{seen.kind_of_origin}"),
            (Quoted(seen.window.replace("_", " ")),) if seen.window else None,
        ),
        cell(_device(desk, seen)),
        cell(value, several or None, numeric=True),
        cell(named(piece.id, row_of.id), (Quoted(place_of(seen.pointer)),)),
        anchor=row_of.id,
    )


def _several(desk: Desk, row_of: Told) -> Parts:
    """For how many readings the row stands."""
    if row_of.alone:
        return ()
    one = row_of.series
    word = "smallest_of" if one.first.stat == "free" else "largest_of"
    if one.constant and not one.left_out:
        word = "same_in_all"
    of = desk.say("of_members", n=one.members) if one.members > 1 else ()
    return (*desk.say(word, n=one.count), *of)


def _counter(desk: Desk, seen: Observation) -> Parts:
    stat = "" if seen.counter.endswith(f"_{seen.stat}") else f", {desk.term(seen.stat)}"
    return (Code(seen.counter), Words(stat))


def _labels(seen: Observation, *, whole: bool) -> Parts | None:
    """The program's own words beside the figure; a step is told where one reading stands for all."""
    words = [seen.label, *(f"{key} {seen.marks[key]}" for key in _WORDS_OF if key in seen.marks)]
    if "step" in seen.marks and not whole:
        words.append(f"step {seen.marks['step']}")
    told = [Quoted(word) for word in words if word and word != seen.counter]
    return joined(told) if told else None


def _device(desk: Desk, seen: Observation) -> Parts:
    told = desk.device(seen.device_index)
    mig = seen.marks.get("mig")
    if isinstance(mig, dict):
        told += (Words(", MIG "), *joined([Quoted(f"{key} {v}") for key, v in mig.items()], " "))
    if seen.rank is not None:
        told += (Words(", "), Quoted(f"rank {seen.rank}"))
    if "speaker" in seen.marks:
        told += (Words(", "), Quoted(str(seen.marks["speaker"])))
    return told


def _value(desk: Desk, seen: Observation, name: str) -> Parts:
    """The figure with its mark; a plan is quoted as its program printed it, for it has no mark."""
    if seen.kind_of_origin in _PLANS:
        number = "" if seen.number is None else f"{decimal(seen.number)} {seen.unit}"
        return (Quoted(seen.value.text if seen.value is not None else number),)
    told = observed(seen, name)
    if told is None:
        return (Missing(desk.word("not_printed")),)
    return (desk.listed(told, fine(told, desk.style)),)


def decimal(number: Number) -> str:
    """A count, or a printed fraction in decimals again."""
    if isinstance(number, int) or number.denominator == 1:
        return str(number)
    places = next((n for n in range(1, 16) if (number * 10**n).denominator == 1), 15)
    return rounded(number, places, _UNGROUPED)


def place_of(pointer: Pointer) -> str:
    """Where a figure stands in its file: `line 12`, a JSON pointer, or both."""
    return stands(pointer) or "/"


def named(piece: str, name: str) -> Parts:
    """The id of a figure, which `fiche explain` takes; its first part leads to the piece."""
    return (Reference(piece), Code(name.removeprefix(piece)))
