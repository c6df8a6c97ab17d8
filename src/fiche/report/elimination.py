"""Criteria in the order in which they eliminate: what is required once, each distinct answer once (D1, F8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fiche.kernel.decision import Outcome
from fiche.kernel.figure import Node
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.record import record
from fiche.kernel.requirement import Requirement
from fiche.report import points
from fiche.report._answered import found_cell, margin_of, on_word, pieces_of, state_of, why
from fiche.report.answer import most_demanding
from fiche.report.desk import Desk, cell, columns, joined
from fiche.report.devices import ranged
from fiche.report.parts import (
    Amount,
    Block,
    Cell,
    Code,
    Paragraph,
    Parts,
    Row,
    Section,
    Table,
    Words,
)

# A page holds so many answers; the annex has all of them.
_MOST_ANSWERS, _MOST_NAMES = 40, 4


@record
class _Answer:
    """One distinct answer to a criterion: the finding that says it, and of whom all."""

    found: Finding
    candidates: tuple[str, ...]
    shared: tuple[Finding, ...]
    points: tuple[points.Point, ...]


def section(desk: Desk) -> Section:
    """Musts in one table, wants in a second, shorter one."""
    blocks: list[Table] = []
    for level, caption in (("must", "musts_caption"), ("want", "wants_caption")):
        asked = [r for r in desk.decision.fiche.requirements if r.level == level]
        rows, left = _capped([_rows(desk, requirement) for requirement in asked])
        if rows:
            blocks.append(_table(desk, level, caption, rows, left))
    return Section(
        id="elimination", title=desk.word("musts_title"), blocks=(*blocks, *_legend(desk, blocks))
    )


def _legend(desk: Desk, tables: list[Table]) -> Iterator[Block]:
    """Where a cell says that nothing applies, the sign is explained once."""
    dash = (Words(desk.word("dash")),)
    if any(dash in one.cells[-3].lines for table in tables for one in table.rows):
        yield Paragraph(desk.say("dash_legend", dash=desk.word("dash")), "note")


def _table(desk: Desk, level: str, caption: str, rows: list[Row], left: int) -> Table:
    noun = desk.counted("answers_noun", left)
    return Table(
        id=f"{level}s",
        caption=desk.word(caption),
        columns=columns(
            desk,
            "criterion" if level == "must" else "want_column",
            "required:number",
            "candidates_column",
            "found:number",
            "margin:number",
            "state",
            "pieces",
        ),
        rows=tuple(rows),
        notes=(*((desk.say("answers_more", n=left, noun=noun),) if left else ()),),
    )


def _capped(told: list[list[Row]]) -> tuple[list[Row], int]:
    """Whole criteria as long as there is room, at least one answer of each; how many are left out."""
    room = max(_MOST_ANSWERS // max(len(told), 1), 1)
    kept = [_first(rows, room) for rows in told]
    return [one for rows in kept for one in rows], sum(map(len, told)) - sum(map(len, kept))


def _first(rows: list[Row], room: int) -> list[Row]:
    if len(rows) <= room:
        return rows
    head, *rest = rows[:room]
    return [_spanning(head, room), *rest]


# --- Answers --------------------------------------------------------------------------------------


def _rows(desk: Desk, requirement: Requirement) -> list[Row]:
    """One row an answer; the criterion, and what it requires where that is one thing, span them."""
    answers = list(_answers(desk, requirement))
    case = _shared_case(answers)
    required = [_required(desk, requirement, one.found) for one in answers]
    shared = len({_plain(one) for one in required}) == 1
    return [
        _row(
            desk,
            requirement,
            one,
            _Place(first=place == 0, of=len(answers), shared=shared, case=case),
        )
        for place, one in enumerate(answers)
    ]


@record
class _Place:
    """Where a row stands among the answers to its criterion."""

    first: bool
    of: int
    shared: bool
    case: str


def _shared_case(answers: list[_Answer]) -> str:
    """The case that decides every answer, where it is one: it is said with the criterion."""
    cases = {one.found.case for one in answers}
    return cases.pop() if len(cases) == 1 else ""


def _answers(desk: Desk, requirement: Requirement) -> Iterator[_Answer]:
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for outcome in desk.decision.outcomes:
        for found in _deciding(outcome, requirement):
            alike.setdefault(_sameness(desk, requirement, found), []).append(found)
    for shared in alike.values():
        asked = {p.number: p for found in shared for p in points.of_finding(desk, found)}
        yield _Answer(
            found=shared[0],
            candidates=tuple(dict.fromkeys(found.candidate for found in shared)),
            shared=tuple(shared),
            points=tuple(asked[number] for number in sorted(asked)),
        )


def _deciding(outcome: Outcome, requirement: Requirement) -> Iterator[Finding]:
    """Of memory, the most demanding case of each device; the annex has every case (D0)."""
    mine = [f for f in outcome.findings if f.requirement == requirement.id]
    by_device: dict[str, list[Finding]] = {}
    for found in mine:
        by_device.setdefault(found.device if found.kind == "memory" else found.case, []).append(
            found
        )
    for cases in by_device.values():
        yield most_demanding(cases)


def _place(found: Finding, said: str) -> str:
    case = "" if found.case == said else found.case
    return " · ".join(filter(None, (case, found.device)))


def _sameness(desk: Desk, requirement: Requirement, found: Finding) -> tuple[object, ...]:
    """What is read, and not which figure it leads to: two candidates may have equal ones."""
    need, have = desk.compared(found)
    said = (
        _plain(need),
        _plain(have),
        _plain(margin_of(desk, found)),
        _plain(pieces_of(desk, found)),
    )
    case = found.case if found.kind == "memory" else ""
    open_ = found.verdict is Verdict.TO_CONFIRM and bool(found.conditions)
    reason = () if open_ else why(desk, found, ())
    return (*said, case, found.verdict, _plain(reason), found.attested_by)


def _plain(parts: Parts) -> str:
    return "".join(
        f"{p.text}{p.mark}" if isinstance(p, Amount) else getattr(p, "text", "") or str(p)
        for p in parts
    )


# --- Cells ----------------------------------------------------------------------------------------


def _row(desk: Desk, requirement: Requirement, one: _Answer, place: _Place) -> Row:
    found = one.found
    cells: list[Cell] = []
    if place.first:
        cells.append(_over(_criterion(desk, requirement, place.case), place.of))
    if place.first and place.shared:
        cells.append(_over(_limit(desk, requirement, found), place.of))
    elif not place.shared:
        cells.append(_limit(desk, requirement, found))
    cells += [
        cell((*_who(desk, one.candidates), *_cases(one, place.case))),
        found_cell(desk, requirement, found),
        cell(margin_of(desk, found), numeric=True),
        cell((state_of(desk, found), *why(desk, found, one.points), *on_word(desk, found))),
        cell(pieces_of(desk, found)),
    ]
    return Row(
        cells=tuple(cells),
        continues=not place.first,
        candidate=one.candidates[0] if len(one.candidates) == 1 else "",
        requirement=requirement.id,
    )


def _over(told: Cell, rows: int) -> Cell:
    return Cell(lines=told.lines, numeric=told.numeric, rows=rows)


def _spanning(head: Row, rows: int) -> Row:
    """A first row whose cells span fewer rows than they were made for."""
    cells = tuple(_over(c, rows) if c.rows > 1 else c for c in head.cells)
    return Row(
        cells=cells,
        continues=head.continues,
        candidate=head.candidate,
        requirement=head.requirement,
    )


def _criterion(desk: Desk, requirement: Requirement, case: str) -> Cell:
    kind = desk.language.kinds.get(requirement.kind, desk.term(requirement.kind))
    named: Parts = ()
    if requirement.id != requirement.kind:
        named = (Words(" "), Code(requirement.id))
    where = desk.say("in_case", case=Code(case)) if case else ()
    return cell((Words(kind, strong=True), *named, *where))


def _required(desk: Desk, requirement: Requirement, found: Finding) -> Parts:
    need, have = desk.compared(found)
    if requirement.kind == "memory":
        return need
    if found.limit_is_had:
        return _signed(desk, "at_most", have, found.have)
    return _signed(desk, "at_least", need, found.need) if found.need is not None else need


def _signed(desk: Desk, key: str, side: Parts, node: Node | None) -> Parts:
    """With its sign of comparison; a day is one by which."""
    if node is None:
        return side
    return desk.say("by_day" if str(node.unit) == "date" else key, amount=side)


def _limit(desk: Desk, requirement: Requirement, found: Finding) -> Cell:
    told = _required(desk, requirement, found)
    tax = requirement.facts.get("tax")
    basis = (Words(desk.word(f"tax_{tax.value}")),) if tax and _basis(desk, tax.value) else None
    return cell(told, basis, numeric=True)


def _basis(desk: Desk, value: str) -> bool:
    return f"tax_{value}" in desk.language.phrases


def _who(desk: Desk, who: Sequence[str]) -> Parts:
    """By name; where there are many and it is all of them, that is what is said."""
    total = len(desk.decision.outcomes)
    if len(who) == total and total > 1:
        return desk.say("every_candidate", n=total)
    if len(who) == total - 1 and len(who) > 2:
        others = (o.candidate.id for o in desk.decision.outcomes)
        return desk.say("every_but", who=Code(next(one for one in others if one not in who)))
    told = [Code(name) for name in who[:_MOST_NAMES]]
    left = len(who) - _MOST_NAMES
    more = [desk.say("candidates_more", n=left)] if left > 0 else []
    return joined([*told, *more])


def _cases(one: _Answer, said: str) -> Parts:
    """The cases and devices of an answer, without the case that is said already."""
    places = (_place(found, said) for found in one.shared)
    told = [Code(place) for place in ranged(filter(None, dict.fromkeys(places)))]
    return (Words(" "), *joined(told)) if told else ()
