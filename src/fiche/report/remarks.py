"""Small marks in a report beside what comments are on, each leading to its comment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fiche.kernel.comment import Comment, Review
from fiche.kernel.record import field_names, replace
from fiche.report.desk import Desk
from fiche.report.link_parts import Remark
from fiche.report.nameable import names_of
from fiche.report.parts import (
    Amount,
    Answer,
    Cell,
    Code,
    Parts,
    Quoted,
    Report,
    Row,
    Table,
    Words,
)
from fiche.report.points import anchor, numbered

# Beside one thing; the list has all of them.
_MOST = 8
# A comment on all of a report has no row.
WHOLE = "report"


def remarked(report: Report, desk: Desk, review: Review) -> tuple[Report, dict[str, str]]:
    """The report with its marks, and the fragment of the first mark of each comment that has one."""
    marker = _Marker(desk, review)
    made: Report = replace(
        report, opening=marker.of(report.opening), sections=marker.of(report.sections)
    )
    return made, marker.found


class _Marker:
    """Puts marks into parts, rows and answers, in the order of the page; `found` grows meanwhile."""

    def __init__(self, desk: Desk, review: Review) -> None:
        self.desk, self.found = desk, dict[str, str]()
        comments = [one for one in review.in_order if one.sort != WHOLE]
        self.by_figure: dict[str, list[Comment]] = {}
        for one in comments:
            if one.sort == "figure":
                self.by_figure.setdefault(one.on, []).append(one)
        self.by_row = [
            (one, is_row) for one in comments if (is_row := _rows_of(desk, one)) is not None
        ]

    def of(self, thing: Any) -> Any:  # noqa: ANN401 - any block or part of one
        """The same thing with the marks that belong inside it."""
        if isinstance(thing, tuple):
            return self._parts(tuple(self.of(each) for each in thing))
        if isinstance(thing, Table):
            return self._table(thing)
        names = [name for name in field_names(thing) if isinstance(getattr(thing, name), tuple)]
        if not names:
            return thing
        made = replace(thing, **{name: self.of(getattr(thing, name)) for name in names})
        return self._answer(made) if isinstance(made, Answer) else made

    def _parts(self, parts: tuple[Any, ...]) -> tuple[Any, ...]:
        """Behind each number that is commented its marks."""
        if not any(isinstance(part, Amount) and part.figure in self.by_figure for part in parts):
            return parts
        made: list[Any] = []
        for part in parts:
            made.append(part)
            if isinstance(part, Amount):
                made += self._marks(self.by_figure.get(part.figure, ()))
        return tuple(made)

    def _table(self, table: Table) -> Table:
        """In each table the first row of what is commented."""
        waiting = list(self.by_row) if table.id not in _ASIDE else []
        rows: list[Row] = []
        for row in table.rows:
            mine = [(one, is_row) for one, is_row in waiting if is_row(row)]
            waiting = [each for each in waiting if each not in mine]
            made = replace(row, cells=self.of(row.cells))
            rows.append(self._headed(made, [one for one, _ in mine]) if mine else made)
        return replace(table, rows=tuple(rows), notes=self.of(table.notes))

    def _headed(self, row: Row, comments: list[Comment]) -> Row:
        head, *rest = row.cells
        first, *lines = head.lines or ((),)
        marked = replace(head, lines=((*first, *self._marks(comments)), *lines))
        return replace(row, cells=(marked, *rest))

    def _answer(self, answer: Answer) -> Answer:
        """On page one: an answer begins with its candidate."""
        first = answer.subject[0] if answer.subject else None
        mine = [one for one, _ in self.by_row if one.sort == "candidate" and Code(one.on) == first]
        marked = (answer.subject[0], *self._marks(mine), *answer.subject[1:]) if mine else ()
        return replace(answer, subject=marked) if marked else answer

    def _marks(self, comments: Sequence[Comment]) -> list[Remark]:
        """The first ones; those that have no room lead to where these stand."""
        made = [self._mark(one) for one in comments[:_MOST]]
        for one in comments[_MOST:]:
            self.found.setdefault(one.id, self.found[comments[0].id])
        return made

    def _mark(self, one: Comment) -> Remark:
        here = "" if one.id in self.found else f"on-{one.id}"
        self.found.setdefault(one.id, here)
        return Remark(one.id, self.desk.word("comments_mark").format(id=one.id), here)


# Tables whose rows bear a candidate for another reason than being about it.
_ASIDE = frozenset({"commands", "attachments"})
_IsRow = Callable[[Row], bool]


def _rows_of(desk: Desk, one: Comment) -> _IsRow | None:
    """Which rows are about what a comment is on; None for a number, which is marked where it stands."""
    match one.sort:
        case "candidate":
            return lambda row: row.candidate == one.on and _headed_by(row, one.on)
        case "requirement":
            return lambda row: row.requirement == one.on
        case "finding":
            return _of_finding(desk, one.on)
        case "piece":
            return lambda row: row.anchor == f"piece-{one.on}"
        case "case":
            return lambda row: not row.requirement and _headed_by(row, one.on)
        case "point" | "topic":
            wanted = {anchor(p) for p in numbered(desk) if one.on in (f"D{p.number}", p.topic)}
            return lambda row: row.anchor in wanted
        case "step":
            number = _step(desk, one.on)
            return lambda row: _starts(row, f"{number}. ")
        case _:
            return None


def _of_finding(desk: Desk, name: str) -> _IsRow:
    """The row of a verdict; where cases share one, any of them names it."""
    mine = [found for found in desk.decision.findings if name in names_of(found)]
    wanted = {(found.candidate, found.requirement) for found in mine}
    cases = {found.case for found in mine if found.case}

    def is_row(row: Row) -> bool:
        told = _told(row.cells[0]) if row.cells else ""
        of_case = not cases or any(case in told for case in cases) or row.continues
        return (row.candidate, row.requirement) in wanted and of_case

    return is_row


def _headed_by(row: Row, name: str) -> bool:
    """True where the first words of a row are this very name."""
    first: Parts = row.cells[0].lines[0] if row.cells and row.cells[0].lines else ()
    return any(isinstance(part, Code | Quoted) and part.text == name for part in first)


def _starts(row: Row, text: str) -> bool:
    first: Parts = row.cells[0].lines[0] if row.cells and row.cells[0].lines else ()
    return bool(first) and isinstance(first[0], Words) and first[0].text == text


def _told(cell: Cell) -> str:
    return " ".join(getattr(part, "text", "") for line in cell.lines for part in line)


def _step(desk: Desk, name: str) -> str:
    """The number of a step, which may be named by its id."""
    steps = desk.decision.settling.steps if desk.decision.settling is not None else ()
    return next((str(n) for n, step in enumerate(steps, 1) if name in (step.id, str(n))), "")
