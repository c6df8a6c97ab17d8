"""Simulations beside the formulas: both are computed, and it is said by how much and where they differ.

The section stands only where a piece is a simulation. Nothing in it is a need of the first reading (DESIGN 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fiche.kernel.beside import CaseBeside, PhaseBeside
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Piece
from fiche.kernel.simulation import (
    Simulation,
)
from fiche.report import numbers
from fiche.report.desk import Desk, cell, columns, joined, row, signed
from fiche.report.parts import (
    Block,
    Cell,
    Code,
    Items,
    Missing,
    Paragraph,
    Part,
    Parts,
    Quoted,
    Reference,
    Row,
    Section,
    Table,
    Words,
)
from fiche.report.simulated import live, passed, peaks
from fiche.report.timeline import timelines

_LARGEST = 3


def section(desk: Desk) -> Section | None:
    """Every simulation that the fiche cites, in the order of the pieces; None where there is none."""
    told = [
        (piece, piece.reading.simulation)
        for piece in desk.decision.fiche.pieces
        if piece.reading.simulation is not None
    ]
    if not told:
        return None
    blocks: list[Block] = [Paragraph((Words(desk.word("simulation_lead")),), "note")]
    blocks += _beside(desk)
    for piece, simulation in told:
        blocks += _of_piece(desk, piece, simulation)
    return Section(id="simulation", title=desk.word("simulation_title"), blocks=tuple(blocks))


# --- Both sides -----------------------------------------------------------------------------------


def _beside(desk: Desk) -> Iterator[Block]:
    rows = [
        _compared(desk, one, phase) for one in desk.decision.simulations for phase in one.phases
    ]
    if rows:
        yield Table(
            id="beside",
            caption=desk.word("beside_caption"),
            columns=columns(
                desk,
                "case",
                "by_formulas:number",
                "by_simulation:number",
                "difference:number",
                "lies_in",
                "who_sees",
            ),
            rows=tuple(rows),
            notes=((Words(desk.word("beside_note")),),),
        )
    yield from _apart(desk)


def _compared(desk: Desk, one: CaseBeside, phase: PhaseBeside) -> Row:
    owner = (Code(one.owner), Words(" ")) if one.owner else ()
    case = Code(one.case) if one.case else Words(desk.word("load_untold"))
    named = (*owner, case, Words(", "), Quoted(desk.term(phase.phase)))
    group = next((g for g in phase.groups if g.name == phase.item), None)
    several = len({told.piece for told in desk.decision.simulations}) > 1
    return row(
        cell(named, passed(desk, is_first=phase.is_first)),
        cell(desk.amount(phase.formulas), numeric=True),
        cell(desk.amount(phase.simulated), numeric=True),
        _difference(desk, phase),
        cell(
            (Words(phase.item or desk.word("in_none")),),
            None if group is None else _items(desk, group.items),
        ),
        cell((Words(phase.text),), (Reference(one.piece),) if several else None),
    )


def _items(desk: Desk, items: tuple[str, ...]) -> Parts | None:
    return joined([Quoted(desk.term(name)) for name in items]) if items else None


def _difference(desk: Desk, phase: PhaseBeside) -> Cell:
    """In bytes, and as a part of the formulas; a simulation below the formulas is below zero."""
    told = desk.amount(phase.difference)
    if phase.ratio is None:
        return cell(told, numeric=True)
    return cell(told, desk.amount(phase.ratio, _percent(phase.ratio, desk.style)), numeric=True)


def _percent(ratio: Figure, how: numbers.Style) -> str:
    ends = [ratio.low] if ratio.high in (None, ratio.low) else [ratio.low, ratio.high]
    texts = [signed(numbers.rounded(Fraction(end or 0) * 100, 1, how)) for end in ends]
    before, after = how.percent
    if len(set(texts)) == 1:
        return before + texts[0] + after
    return how.interval.format(low=before + texts[0], high=before + texts[-1] + after)


def _apart(desk: Desk) -> Iterator[Block]:
    """Simulations that stand beside no case of a load: why not, of the case that is nearest."""
    by_load: dict[tuple[str, str], list[CaseBeside]] = {}
    for one in desk.decision.simulations:
        by_load.setdefault((one.piece, one.owner), []).append(one)
    items = tuple(
        _reasons(desk, min(found, key=lambda one: len(one.differs)))
        for found in by_load.values()
        if not any(one.phases for one in found)
    )
    if items:
        yield Items(items)


def _reasons(desk: Desk, one: CaseBeside) -> Parts:
    who = [Code(name) for name in (one.owner, one.case) if name]
    lead = joined([Reference(one.piece), *who])
    told = joined([Quoted(text) for text in one.differs], "; ")
    return (*lead, Words(f" {desk.word('not_beside')} "), *told)


# --- One simulation -------------------------------------------------------------------------------


def _of_piece(desk: Desk, piece: Piece, told: Simulation) -> Iterator[Block]:
    yield Paragraph(_named(desk, piece, told))
    yield from timelines(piece.reading, f"window-{piece.id}", desk.language.phrases, desk.style)
    yield peaks(desk, piece, told)
    yield live(desk, piece, told)
    yield from _needs(desk, piece)
    yield from _uncovered(desk, piece, told)
    yield from _effects(desk, piece, told)
    if told.notes:
        yield Items(tuple((Quoted(note),) for note in told.notes))


def _named(desk: Desk, piece: Piece, told: Simulation) -> Parts:
    said: list[Parts] = [
        desk.say("simulated_by", by=Quoted(told.by), rounds=Quoted(told.allocator))
    ]
    if told.case:
        said.append(desk.say("simulated_case", case=Code(told.case)))
    said += [
        desk.say(
            "simulated_answer", asked=Code(one.asked), told=Quoted(one.told), by=Quoted(one.by)
        )
        for one in told.answers
    ]
    return (Reference(piece.id), Words(": "), *joined(said, "; "), Words("."))


def _needs(desk: Desk, piece: Piece) -> Iterator[Block]:
    """What it would be as a need, case by case; open where something uncovered has no bound."""
    for one in desk.decision.simulations:
        if one.piece != piece.id or one.need is None or one.owner:
            continue
        case = Code(one.case) if one.case else Words(desk.word("load_untold"))
        if one.open:
            told = desk.say("as_need_open", case=case, open=joined(map(Quoted, one.open)))
        else:
            told = desk.say("as_need", case=case, need=desk.amount(one.need))
        yield Paragraph(told)


def _uncovered(desk: Desk, piece: Piece, told: Simulation) -> Iterator[Block]:
    stands = [
        one for one in desk.decision.simulations if one.piece == piece.id and one.need is not None
    ]
    rows = []
    for place, item in enumerate(told.uncovered, 1):
        figure = desk.book.figures.get(f"{piece.id}/uncovered.{place}")
        bound: Part = Missing(desk.word("not_known"))
        if figure is not None:
            bound = desk.amount(figure)
        rows.append(
            row(
                cell((Code(item.name),)),
                cell(bound, numeric=True),
                cell(_stands(desk, item.name, stands)),
                cell((Quoted(item.why),), (Quoted(item.source),) if item.source else None),
            )
        )
    if rows:
        yield Table(
            id=f"uncovered-{piece.id}",
            caption=desk.word("uncovered_caption"),
            columns=columns(desk, "uncovered_item", "documented:number", "stands_for", "why"),
            rows=tuple(rows),
        )


def _stands(desk: Desk, name: str, stands: list[CaseBeside]) -> Parts:
    if not stands:
        return (Words(desk.word("stands_nowhere")),)
    if name in stands[0].covered:
        return desk.say("stands_reserve", item=Code(stands[0].covered[name]))
    return (Words(desk.word("stands_open" if name in stands[0].open else "stands_bound")),)


def _effects(desk: Desk, piece: Piece, told: Simulation) -> Iterator[Block]:
    rows = [
        row(
            cell((Code(effect.name),), (Quoted(effect.says),)),
            cell(numbers.exact(effect.count, desk.style), numeric=True),
            cell(desk.listed(desk.book.figures[f"{piece.id}/effect.{place}"]), numeric=True),
            cell((Quoted(effect.source),)),
        )
        for place, effect in enumerate(told.effects, 1)
    ]
    if rows:
        yield Table(
            id=f"effects-{piece.id}",
            caption=desk.word("effects_caption"),
            columns=columns(desk, "effect", "times:number", "most_held:number", "source"),
            rows=tuple(rows),
            folded=True,
        )
