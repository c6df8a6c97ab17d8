"""What one simulation says: the peaks of its phases, and what is live at the largest of them."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.piece import Piece
from fiche.kernel.readings import planned_ids
from fiche.kernel.record import replace
from fiche.kernel.simulation import (
    ALLOCATED,
    RESERVED,
    Alike,
    AtPeak,
    SimulatedPhase,
    Simulation,
    peak_of,
    peak_phase,
)
from fiche.report import numbers
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import Code, Missing, Part, Parts, Quoted, Table, Words

_LARGEST = 3


def peaks(desk: Desk, piece: Piece, told: Simulation) -> Table:
    """Both counters of each phase, and what was asked for when the allocated one peaked."""
    ids = planned_ids(piece)
    several = len({phase.device_index for phase in told.phases}) > 1
    rows = []
    for phase in _largest(told.phases):
        levels = [_level(desk, phase, counter, told.by, ids) for counter in (ALLOCATED, RESERVED)]
        device = desk.device(phase.device_index) if several else None
        name = cell((Quoted(desk.term(phase.name)),), passed(desk, is_first=phase.is_first), device)
        peaks = (cell(level, numeric=True) for level in levels)
        rows.append(row(name, *peaks, cell(*_reached(desk, phase.at_peak))))
    return Table(
        id=f"peaks-{piece.id}",
        caption=desk.word("peaks_caption"),
        columns=columns(
            desk, "phase_pass", "allocated_peak:number", "reserved_peak:number", "reached_in"
        ),
        rows=tuple(rows),
    )


def _largest(phases: tuple[SimulatedPhase, ...]) -> list[SimulatedPhase]:
    """Of equal names, passes and devices the one that holds most, in the order in which they began."""
    most: dict[tuple[str, bool, int], SimulatedPhase] = {}
    for phase in phases:
        key = (phase.name, phase.is_first, phase.device_index)
        if key not in most or phase.allocated.peak > most[key].allocated.peak:
            most[key] = phase
    return list(most.values())


def _level(
    desk: Desk, phase: SimulatedPhase, counter: str, by: str, ids: Mapping[str, str]
) -> Part:
    """A peak under the id that the piece's own figures have."""
    figure = peak_of(phase, counter, by)
    if figure is None:
        return Missing(desk.word("not_computed"))
    return desk.listed(replace(figure, id=ids[f"{phase.pointer.path}/{counter}_bytes/peak"]))


def _reached(desk: Desk, peak: AtPeak) -> list[Parts]:
    """Operator, module and line; the level at the start was reached by nothing of the phase."""
    if not peak.operator:
        return [(Words(desk.word("at_start")),)]
    where = [Code(word) for word in (peak.module, peak.line) if word]
    return [(Code(peak.operator),), *([joined(where)] if where else [])]


def live(desk: Desk, piece: Piece, told: Simulation) -> Table:
    """By kind at the largest peak, each with the largest of its allocations."""
    top = peak_phase(told)
    by_kind: dict[str, list[Alike]] = {}
    for alike in top.at_peak.largest:
        by_kind.setdefault(alike.kind, []).append(alike)
    phase = desk.term(top.name)
    return Table(
        id=f"live-{piece.id}",
        caption=desk.word("live_caption").format(phase=phase),
        columns=columns(desk, "live_kind", "value:number", "allocations:number", "largest_alike"),
        rows=tuple(
            row(
                Quoted(desk.term(one.kind)),
                cell(desk.listed(desk.book.figures[f"{piece.id}/live.{one.kind}"]), numeric=True),
                cell(numbers.exact(one.count, desk.style), numeric=True),
                cell(*(_alike(desk, each) for each in by_kind.get(one.kind, [])[:_LARGEST])),
            )
            for one in top.at_peak.live
        ),
    )


def _alike(desk: Desk, one: Alike) -> Parts:
    """How much, of what form, and who asked for it."""
    amount = numbers.memory(one.num_bytes, "GiB", desk.style)
    form = " ".join(word for word in (" × ".join(map(str, one.shape)), one.dtype) if word)
    count = desk.say("alike", n=one.count) if one.count > 1 else ()
    where = [Code(word) for word in (one.operator, one.module, one.line) if word]
    return joined([(Words(amount), *count), *([Quoted(form)] if form else []), *where])


def passed(desk: Desk, *, is_first: bool) -> Parts:
    """First pass or a later one: different phases (C7)."""
    return (Words(desk.word("first_pass" if is_first else "later_pass")),)
