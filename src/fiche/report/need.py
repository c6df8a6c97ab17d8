"""Where the need comes from: its arithmetic, a bar, the items of the estimate, and the gap (B7, B8, E6)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel import trace
from fiche.kernel.decision import Outcome
from fiche.kernel.figure import Node
from fiche.kernel.finding import Finding
from fiche.kernel.gaps import Gap, gaps, split
from fiche.kernel.origin import Computed, Observed
from fiche.report.answer import most_demanding
from fiche.report.bar import bar
from fiche.report.desk import Desk, cell, columns, joined, row, short_label
from fiche.report.parts import (
    Amount,
    Block,
    Cell,
    Code,
    Paragraph,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)


def section(desk: Desk) -> Section:
    """The most demanding comparison of each candidate, told once where candidates share it."""
    blocks = tuple(
        _drawn(desk, found, who, place)
        for place, (found, who) in enumerate(_compared(desk), 1)
        if found.need is not None
    )
    return Section(
        id="need",
        title=desk.word("need_title"),
        blocks=(*blocks, *gap_blocks(desk)),
    )


def _drawn(desk: Desk, found: Finding, who: list[str], place: int) -> Block:
    """One line of arithmetic under its bar; where there is nothing to draw, the line alone (B7)."""
    assert found.need is not None
    need = desk.book.of(found.need)
    lead = (*joined([Code(name) for name in who]), Words(": "))
    drawn = bar(desk, found, lead, origin_of(desk, need), str(place))
    if drawn is not None:
        return drawn
    whole = desk.amount(found.need)
    label = (*lead, Quoted(short_label(need)))
    return Paragraph(
        desk.say("arithmetic_leaf", label=label, whole=whole, origin=origin_of(desk, need))
    )


def _compared(desk: Desk) -> list[tuple[Finding, list[str]]]:
    shared: dict[tuple[object, ...], tuple[Finding, list[str]]] = {}
    for outcome in desk.decision.outcomes:
        found = worst_must(outcome)
        if found is not None:
            key = (desk.compared(found), found.case)
            shared.setdefault(key, (found, []))[1].append(outcome.candidate.id)
    return list(shared.values())


def worst_must(outcome: Outcome) -> Finding | None:
    """The comparison that decides a candidate's memory, over every case and device."""
    memory = [f for f in outcome.findings if f.kind == "memory" and f.level == "must"]
    return most_demanding(memory) if memory else None


def origin_of(desk: Desk, node: Node) -> Parts:
    """Where a number was read, or its formula."""
    origin = node.origin
    if isinstance(origin, Computed):
        return (Code(formula(node)),)
    if isinstance(origin, Observed):
        named = "" if origin.counter == node.label else origin.counter
        told = [Quoted(desk.term(word)) for word in (named, origin.stat) if word]
        return (*joined([*told, read_at(desk, node)]),)
    return read_at(desk, node)


def read_at(desk: Desk, node: Node) -> Parts:
    """The address of a leaf, as `chat.yaml:14:12` or `run-4090#line 3`."""
    address = getattr(node.origin, "pointer", None) or getattr(node.origin, "address", None)
    place = desk.places.of_address(address or getattr(node.origin, "span", None))
    return desk.say("read_at", place=Code(place)) if place else (Words(desk.word("not_known")),)


def formula(node: Node) -> str:
    """A formula with the signs of print."""
    return trace.formula(node).replace(" x ", " × ").replace(" - ", " − ")


def gap_blocks(desk: Desk) -> Iterator[Block]:
    """Every run beside the estimate of its case, and what a gap is and is not (E6)."""
    yield Paragraph((Words(desk.word("gap_title") + " ", strong=True), *_gap_lead(desk)))
    beside: dict[tuple[str, str, str, int | None], list[Gap]] = {}
    for gap in gaps(desk.decision):
        beside.setdefault((gap.estimate.id, gap.piece, gap.run, gap.device), []).append(gap)
    if beside:
        yield Table(
            id="gaps",
            caption=desk.word("gap_caption"),
            columns=columns(
                desk,
                "gap_run",
                "estimate:number",
                "allocated_peak:number",
                "gap_allocated:number",
                "reserved_peak:number",
                "gap_reserved:number",
            ),
            rows=tuple(_gap_rows(desk, list(beside.values()))),
        )


def _gap_rows(desk: Desk, beside: list[list[Gap]]) -> Iterator[Row]:
    """Runs that read the same share a row; each stays named in it."""
    alike: dict[tuple[object, ...], tuple[list[Cell], list[Gap]]] = {}
    for found in beside:
        same = tuple((g.counter, g.estimate.id, g.observed.low, g.observed.high) for g in found)
        key = (found[0].case, found[0].device, same)
        alike.setdefault(key, (_gap(desk, found), []))[1].append(found[0])
    for cells, runs in alike.values():
        named = joined([Code(f"{gap.piece}/{gap.run}") for gap in runs])
        device = desk.device(runs[0].device)
        # Of a changed candidate it is the candidate's own estimate, and says so.
        of = (Code(runs[0].of), Words(", ")) if runs[0].of else ()
        yield row(cell((*of, *named), device), *cells)


def _gap(desk: Desk, found: list[Gap]) -> list[Cell]:
    """The estimate, then each peak and its gap (C3: two columns, no sum)."""
    cells = [cell(desk.listed(desk.book.of(found[0].estimate)), numeric=True)]
    for word in ("allocated", "reserved"):
        gap = next((g for g in found if word in g.counter), None)
        cells += [cell(desk.measured(None), numeric=True)] * 2 if gap is None else _peak(desk, gap)
    return cells


def _peak(desk: Desk, gap: Gap) -> list[Cell]:
    """A peak, and its gap to the byte (E6)."""
    figures = desk.book.figures
    node = figures[gap.gap.id]
    distance = desk.listed(node)
    exact = (Words(desk.exactly(node)),) if isinstance(distance, Amount) else None
    return [
        cell(desk.listed(figures[gap.observed.id]), numeric=True),
        cell(distance, exact, numeric=True),
    ]


def _gap_lead(desk: Desk) -> Parts:
    some = next(iter(gaps(desk.decision)), None) is not None
    none = "gap_split" if split(desk.decision.fiche.workload) else "gap_none"
    return (Words(desk.word("gap_lead" if some else none)),)
