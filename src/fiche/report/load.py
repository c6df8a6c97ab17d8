"""What each case holds by arithmetic: bars, phases, and where every item comes from (B6, B7, C4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from fiche.kernel import trace
from fiche.kernel.comparison import CaseLoad, LoadItem, PhaseTotal
from fiche.kernel.figure import Figure, Node, Number, Unknown
from fiche.kernel.origin import Computed, Declared
from fiche.kernel.said import listed as row_of
from fiche.report._loads import alike, called
from fiche.report.bar import ends, listed
from fiche.report.desk import Desk, cell, columns, joined, row, short_label
from fiche.report.need import formula, read_at
from fiche.report.parts import (
    Amount,
    Bar,
    Block,
    Cell,
    Code,
    Limit,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Row,
    Section,
    Segment,
    Table,
    Words,
)

_WHOLE = 1000
_SHADES = 3
# How wide an item is drawn whose far end nobody knows: enough to be seen, and said to be no amount.
_OPEN = 24
# Longer formulas fill pages and are read by nobody there.
_LONGEST = 240
_KEPT = 160


def section(desk: Desk) -> Section:
    """Bars, phases, formulas and inputs of every case; one sentence where no load is known."""
    blocks = (*_bars(desk), *_phases(desk), *_items(desk), *_inputs(desk))
    lead = Paragraph((Words(desk.word("load_lead")),), "note")
    return Section(id="load", title=desk.word("load_title"), blocks=(lead, *blocks))


# --- Bars -------------------------------------------------------------------------------------


def _bars(desk: Desk) -> Iterator[Block]:
    for place, loads in enumerate(alike(desk), 1):
        drawn = _bar(desk, loads, place)
        if drawn is not None:
            yield drawn


def _bar(desk: Desk, loads: Sequence[CaseLoad], place: int) -> Bar | None:
    """Every item of one case on one scale, against what each card has."""
    limits = [limit for load in loads for limit in _limits(desk, load)]
    items = [item for item in loads[0].items if item.node.high != 0]
    known = sum(_far(item.node) for item in items)
    whole = max([known, *(_far(found) for _, found in limits)])
    if not whole or not items:
        return None
    segments = tuple(_segments(desk, items, Fraction(whole)))
    drawn = tuple(
        Limit(at=_share(_far(found), Fraction(whole)), label=name, amount=told)
        for name, found in limits
        if isinstance(told := desk.listed(found), Amount)
    )
    return Bar(
        id=f"load-bar-{place}",
        title=_title(desk, segments, drawn),
        lead=_who(desk, loads),
        segments=segments,
        whole=None,
        origin=(),
        margins=(),
        limit=None,
        limit_label="",
        limit_amount=None,
        limits=drawn,
    )


def _who(desk: Desk, loads: Sequence[CaseLoad]) -> Parts:
    told = [called(desk, load, ", ") for load in loads]
    per_device = any(item.per_device for load in loads for item in load.items)
    where = "load_most_loaded" if per_device else "load_whole"
    return (*joined(told, "; "), Words(f" ({desk.word(where)}): "))


def _limits(desk: Desk, load: CaseLoad) -> list[tuple[str, Figure]]:
    """(candidates, capacity) of those that this load is asked of, each capacity once."""
    found: dict[str, tuple[list[str], Figure]] = {}
    owners = {one.owner for one in desk.decision.loads}
    for outcome in desk.decision.outcomes:
        name = outcome.candidate.id
        if load.owner != (name if name in owners else ""):
            continue
        for finding in outcome.findings:
            if finding.kind == "memory" and finding.case == load.case:
                _enter(desk, name, finding.have, found)
    return [(", ".join(dict.fromkeys(names)), figure) for names, figure in found.values()]


def _enter(
    desk: Desk, name: str, have: Node | None, into: dict[str, tuple[list[str], Figure]]
) -> None:
    listed = None if have is None else desk.book.of(have)
    if isinstance(listed, Figure) and listed.low:
        label = isinstance(listed.origin, Declared)
        told = f"{name} ({desk.word('load_by_label')})" if label else name
        into.setdefault(listed.id, ([], listed))[0].append(told)


def _segments(desk: Desk, items: list[LoadItem], whole: Fraction) -> Iterator[Segment]:
    start, shade = 0, 0
    room = _WHOLE - _OPEN * sum(item.node.high is None for item in items)
    for item in items:
        kind = _kind(item.node)
        for drawn, width in _stretches(item.node, kind, whole, room):
            yield Segment(
                start=start,
                width=width,
                kind=drawn,
                shade=shade % _SHADES if drawn == "computed" else 0,
                label=_label(desk, item.node, drawn),
                amount=_amount(desk, item.node, drawn),
                continues=drawn == "range" and bool(item.node.low),
            )
            start += width
        shade += kind == "computed"


def _stretches(node: Node, kind: str, whole: Fraction, room: int) -> Iterator[tuple[str, int]]:
    """What surely counts, what may come to it, and an end that nobody knows."""
    if node.low:
        yield kind, max(_share(node.low, whole, room), 1)
    if node.high is None:
        yield "unknown", _OPEN
    elif node.high > node.low:
        yield "range", max(_share(node.high - node.low, whole, room), 1)


def _kind(node: Node) -> str:
    if trace.assumptions(node):
        return "assumed"
    found = trace.basis(node)
    return "computed" if found == "unknown" else found


def _label(desk: Desk, node: Node, kind: str) -> str:
    label = desk.told(short_label(node)).removesuffix(", " + desk.word("load_most_loaded"))
    if kind == "range":
        up_to = desk.word("load_range")
        return up_to if node.low else f"{label}, {up_to}"
    return desk.word("load_unknown").format(label=label) if kind == "unknown" else label


def _amount(desk: Desk, node: Node, kind: str) -> Amount | Missing:
    """The end of an interval that a stretch is drawn to; the other one has a stretch of its own."""
    if kind == "unknown" or not isinstance(node, Figure):
        return Missing(desk.word("not_known"))
    return ends(desk, node)[kind == "range"]


def _title(desk: Desk, segments: tuple[Segment, ...], limits: tuple[Limit, ...]) -> str:
    parts = listed(segments)
    each = (f"{limit.label} {limit.amount.text}" for limit in limits)
    against = desk.told(row_of(each, "; "))
    return desk.word("bar_title").format(parts=parts, limit=against or desk.word("bar_no_limit"))


def _far(node: Node) -> Number:
    return node.low if node.high is None else node.high


def _share(part: Number, whole: Fraction, room: int = _WHOLE) -> int:
    return (Fraction(part) * room / whole).__floor__()


# --- Phases -----------------------------------------------------------------------------------


def _phases(desk: Desk) -> Iterator[Block]:
    told: set[str] = set()
    rows = [row_ for loads in alike(desk) for row_ in _phase_rows(desk, loads, told)]
    if rows:
        yield Table(
            id="phases",
            caption=desk.word("phases_caption"),
            columns=columns(desk, "case", "phase", "phase_total:number", "phase_heaviest"),
            rows=tuple(rows),
            notes=((Words(desk.word("phases_note")),),),
        )


def _phase_rows(desk: Desk, loads: Sequence[CaseLoad], told: set[str]) -> Iterator[Row]:
    """Phases in which the same items are alive share a row; the one that may ask for most is marked."""
    load = loads[0]
    peak = max(load.phases, key=_most, default=None)
    groups: dict[tuple[str, ...], list[PhaseTotal]] = {}
    for each in load.phases:
        groups.setdefault(tuple(item.node.id for item in each.items), []).append(each)
    for phases in groups.values():
        mark = Words(desk.word("phase_peak"), strong=True) if peak in phases else None
        yield row(
            cell(*(called(desk, each, " ") for each in loads)),
            cell((Words(", ".join(desk.term(each.phase) for each in phases)),), mark),
            cell(desk.amount(phases[0].total), numeric=True),
            _heaviest(desk, phases[0], told),
        )


def _most(each: PhaseTotal) -> tuple[bool, Number, Number]:
    return each.total.high is None, each.total.high or 0, each.total.low


def _heaviest(desk: Desk, each: PhaseTotal, told: set[str]) -> Cell:
    """The item that takes most, and what may be changed about it (D7): once in the table."""
    heaviest = next((item for item in each.items if item.node.low), None)
    if heaviest is None:
        return cell((Words(desk.word("not_known")),))
    lever = dict(desk.language.item_levers).get(heaviest.name, "")
    named = Quoted(short_label(heaviest.node))
    if not lever or heaviest.name in told:
        return cell((named,))
    told.add(heaviest.name)
    return cell((named, Words(f": {lever}")))


# --- Formulas and inputs ----------------------------------------------------------------------


def _items(desk: Desk) -> Iterator[Block]:
    """Every named step of every item, each once, with what an open one asks for."""
    rows: dict[str, Row] = {}
    left: dict[str, Parts] = {}
    for load in desk.decision.loads:
        for item in load.items:
            for node in reversed(list(trace.walk(item.node))):
                if node.id and isinstance(node.origin, Computed):
                    rows.setdefault(node.id, _item(desk, node))
            if isinstance(item.node, Unknown):
                rows.setdefault(item.node.id, _asked(desk, item.node))
            _leave_out(desk, item.node, left)
        _leave_out(desk, _envelope(desk, load), left)
    if rows:
        yield Table(
            id="items",
            folded=True,
            caption=desk.word("items_caption"),
            columns=columns(desk, "item", "value:number", "formula"),
            rows=tuple(rows.values()),
            notes=tuple(left.values()),
        )


def _envelope(desk: Desk, load: CaseLoad) -> Node | None:
    """The sum that a second reading may take: the owner's own, where it has one."""
    name = f"{load.case}.envelope" if load.case else "envelope"
    listed = desk.book.figures
    return listed.get(f"{load.owner}/{name}", listed.get(name))


def _leave_out(desk: Desk, node: Node | None, into: dict[str, Parts]) -> None:
    if isinstance(node, Figure) and node.left_out:
        told = joined([Quoted(text) for text in node.left_out], "; ")
        into[node.id] = desk.say("left_out_of", label=Code(node.id), items=told)


def _item(desk: Desk, node: Node) -> Row:
    label = (Quoted(node.label),) if node.label else None
    return row(
        cell(label, Code(node.id)),
        cell(desk.amount(node), numeric=True),
        cell(_shortened(desk, formula(node))),
    )


def _shortened(desk: Desk, text: str) -> Parts:
    """A formula, or as much of a long one as a reader takes in; every term of it stands in the JSON."""
    if len(text) <= _LONGEST:
        return (Code(text),)
    end = max(text.rfind(sign, 0, _KEPT) for sign in (" + ", " × ", ", "))
    kept = text[: end if end > 0 else _KEPT]
    return (Code(kept + " …"), Words(" " + desk.word("formula_longer")))


def _asked(desk: Desk, node: Unknown) -> Row:
    label = (Quoted(node.label),) if node.label else None
    return row(
        cell(label, Code(node.id)),
        cell(Missing(desk.word("not_known")), numeric=True),
        cell(Quoted(node.condition.text)),
    )


def _inputs(desk: Desk) -> Iterator[Block]:
    """What the formulas start from, and where it was read."""
    rows: dict[str, Row] = {}
    for load in desk.decision.loads:
        for item in load.items:
            for leaf in trace.leaves(item.node):
                if isinstance(leaf, Figure) and leaf.id and leaf.id not in rows:
                    rows[leaf.id] = _input(desk, leaf)
    if rows:
        yield Table(
            id="inputs",
            folded=True,
            caption=desk.word("inputs_caption"),
            columns=columns(desk, "input", "value:number", "input_from"),
            rows=tuple(rows[name] for name in sorted(rows)),
        )


def _input(desk: Desk, leaf: Figure) -> Row:
    because = getattr(leaf.origin, "because", "")
    told = (Quoted(because),) if because else read_at(desk, leaf)
    return row(cell(Code(leaf.id)), cell(desk.amount(leaf), numeric=True), cell(told))
