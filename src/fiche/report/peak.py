"""Page two: the estimate beside the peak, and the largest load that was tested with its counters (E1, E6)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Figure
from fiche.kernel.gaps import Gap, gaps, split
from fiche.kernel.piece import Observation, Piece, Run
from fiche.kernel.readings import observations, observed
from fiche.kernel.record import replace
from fiche.report.counters import LEVELS, column_of
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import (
    Amount,
    Block,
    Cell,
    Code,
    Paragraph,
    Part,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)
from fiche.report.tested import executed, largest_run

_MOST_GAPS, _MOST_LEVELS, _MOST_FAILED, _MOST_LEFT_OUT = 3, 6, 4, 9


def section(desk: Desk) -> Section:
    """The estimate stays beside what was observed; what it leaves out is named, and nothing is attributed."""
    shown = _shown(desk)
    blocks: list[Block] = []
    if shown:
        blocks.append(
            Table(
                id="estimates",
                caption=desk.word("estimate_caption"),
                columns=columns(
                    desk,
                    "estimate_split",
                    "estimate:number",
                    "allocated_peak:number",
                    "gap_allocated:number",
                    "reserved_peak:number",
                    "gap_reserved:number",
                ),
                rows=tuple(_gap(desk, told) for told in shown),
            )
        )
    blocks.append(Paragraph(_said(desk, shown), "note"))
    return Section(
        id="estimate", title=desk.word("estimate_title"), blocks=(*blocks, *_tested(desk))
    )


# --- The estimate ---------------------------------------------------------------------------------


def _shown(desk: Desk) -> list[list[Gap]]:
    """Both peaks of a run and device beside one estimate; of each case the largest, the last case first."""
    beside: dict[tuple[str, str, str, int | None], list[Gap]] = {}
    for gap in gaps(desk.decision):
        beside.setdefault((gap.estimate.id, gap.piece, gap.run, gap.device), []).append(gap)
    largest: dict[tuple[str, int | None], list[Gap]] = {}
    for told in beside.values():
        key = (told[0].of, told[0].device)
        if key not in largest or _high(told) > _high(largest[key]):
            largest[key] = told
    ordered = sorted(largest.values(), key=lambda told: -told[0].estimate.low)
    return ordered[:_MOST_GAPS]


def _high(told: list[Gap]) -> int:
    return max(int(gap.observed.low) for gap in told)


def _gap(desk: Desk, told: list[Gap]) -> Row:
    first = told[0]
    cells: list[Cell] = [cell(desk.listed(desk.book.of(first.estimate)), numeric=True)]
    for word in ("allocated", "reserved"):
        gap = next((one for one in told if word in one.counter), None)
        cells += _peak(desk, gap)
    named = joined([Code(first.of), Code(f"{first.piece}/{first.run}")])
    return row(cell((*named, Words(", "), *desk.device(first.device))), *cells)


def _peak(desk: Desk, gap: Gap | None) -> list[Cell]:
    if gap is None:
        return [cell(desk.measured(None), numeric=True)] * 2
    figures = desk.book.figures
    distance = figures[gap.gap.id]
    told = desk.difference(distance)
    observed_peak = cell(desk.listed(figures[gap.observed.id]), numeric=True)
    if not isinstance(told, Amount):
        return [observed_peak, cell(told, numeric=True)]
    # What it rests on is said of the estimate, in the same row.
    return [observed_peak, cell(replace(told, includes=""), desk.exactly(distance), numeric=True)]


def _said(desk: Desk, shown: list[list[Gap]]) -> Parts:
    told: list[Parts] = []
    if not shown:
        none = "gap_split" if split(desk.decision.fiche.workload) else "gap_none"
        told += [*_alone(desk), (Words(desk.word(none)),)]
    else:
        told.append((Words(desk.word("estimate_rule")),))
    told += _left_out(desk, shown)
    return joined(told, " ")


def _alone(desk: Desk) -> Iterator[Parts]:
    """The estimate of the most demanding case, where nothing stands beside it."""
    found = [
        node
        for name, node in desk.book.figures.items()
        if name.rpartition(".")[2] == "envelope" and isinstance(node, Figure) and node.low
    ]
    top = max(found, key=lambda node: node.low, default=None)
    if top is not None:
        case = Code(top.id.rpartition(".")[0] or top.id)
        yield desk.say("estimate_alone", case=case, estimate=desk.listed(top))


def _left_out(desk: Desk, shown: list[list[Gap]]) -> Iterator[Parts]:
    estimates = [told[0].estimate for told in shown] or [
        node
        for name, node in desk.book.figures.items()
        if name.rpartition(".")[2] == "envelope" and isinstance(node, Figure)
    ]
    items = list(dict.fromkeys(text for node in estimates for text in node.left_out))
    told: list[Parts] = [(Quoted(one),) for one in items[:_MOST_LEFT_OUT]]
    left = len(items) - _MOST_LEFT_OUT
    told += [desk.say("void_left", n=left)] if left > 0 else []
    if told:
        yield desk.say("estimate_left_out", items=joined(told, "; "))


# --- The load that was tested ---------------------------------------------------------------------


def _tested(desk: Desk) -> list[Block]:
    """The largest load that succeeded, the phases, what failed, and the four counters of each device."""
    runs = [(piece, run) for piece in desk.decision.fiche.pieces for run in piece.reading.runs]
    blocks: list[Block] = [Paragraph(joined(list(_sentences(desk, runs)), " "))]
    top = largest_run([run for _, run in runs if run.outcome == "success" and run.whole_loop])
    named = next(((piece, run) for piece, run in runs if run is top), None)
    return [*blocks, *(_levels(desk, *named) if named is not None else ())]


def _sentences(desk: Desk, runs: list[tuple[Piece, Run]]) -> Iterator[Parts]:
    succeeded = [(p, r) for p, r in runs if r.outcome == "success"]
    top = largest_run([run for _, run in succeeded if run.whole_loop])
    named = next(((p, r) for p, r in succeeded if r is top), None)
    if named is not None:
        yield desk.say(
            "tested_largest",
            load=executed(desk, *named),
            run=Code(f"{named[0].id}/{named[1].id}"),
            protocol=desk.word("first_pass" if named[1].first_pass else "later_pass"),
        )
    else:
        yield (Words(desk.word("tested_apart" if succeeded else "tested_none")),)
    phases = dict.fromkeys(phase for _, run in succeeded for phase in run.phases)
    if phases:
        told = joined([Quoted(desk.term(phase)) for phase in phases])
        yield desk.say("tested_succeeded", phases=told)
    yield from _failed(desk, runs)


def _failed(desk: Desk, runs: list[tuple[Piece, Run]]) -> Iterator[Parts]:
    """Runs that failed with the phase, and failures that a bare log tells without a run."""
    told = [_failure(desk, p.id, r.id, r.ended_in) for p, r in runs if r.outcome != "success"]
    for piece in desk.decision.fiche.pieces:
        if piece.reading.failures and not piece.reading.runs:
            phases = {f.phase for f in piece.reading.failures if f.phase}
            told.append(_failure(desk, piece.id, "", next(iter(sorted(phases)), "")))
    left = len(told) - _MOST_FAILED
    more = [desk.say("musts_more", n=left)] if left > 0 else []
    if told:
        yield desk.say("tested_failed", told=joined([*told[:_MOST_FAILED], *more], "; "))
    elif runs:
        yield (Words(desk.word("tested_failed_none")),)


def _failure(desk: Desk, piece: str, run: str, phase: str) -> Parts:
    named = Code(f"{piece}/{run}".rstrip("/"))
    if not phase:
        return desk.say("tested_failed_where", run=named)
    return desk.say("tested_failed_at", run=named, phases=Quoted(desk.term(phase)))


def _levels(desk: Desk, piece: Piece, run: Run) -> Iterator[Table]:
    """The largest level of each counter over the run's phases, device by device."""
    levels: dict[int | None, dict[int, tuple[Figure, str]]] = {}
    for name, of, seen in observations(piece):
        place = column_of(seen) if of is run else None
        node = observed(seen, name) if place is not None else None
        if place is not None and node is not None:
            _keep(levels.setdefault(seen.device_index, {}), place, node, seen)
    if not levels:
        return
    rows = tuple(_level(desk, device, told) for device, told in list(levels.items())[:_MOST_LEVELS])
    keys = (f"{key}:number" for key in LEVELS)
    yield Table(
        id="levels",
        caption=desk.word("levels_caption"),
        columns=columns(desk, "device", *keys),
        rows=rows,
    )


def _keep(told: dict[int, tuple[Figure, str]], place: int, node: Figure, seen: Observation) -> None:
    """A peak is the largest one; a level at the end is the last one."""
    before = told.get(place)
    if before is None or seen.stat != "peak" or node.low > before[0].low:
        told[place] = (node, seen.phase)


def _level(desk: Desk, device: int | None, told: dict[int, tuple[Figure, str]]) -> Row:
    values: list[Part] = [
        desk.measured(told[place][0] if place in told else None) for place in range(len(LEVELS))
    ]
    return row(cell(desk.device(device)), *(cell(value, numeric=True) for value in values))
