"""What differs between two decisions, by kind: every number as either side has it, with its mark."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.difference import Change, Detail, Difference
from fiche.report._changes_told import Document, Sheet, Teller
from fiche.report.desk import cell, group, row
from fiche.report.parts import (
    Block,
    Cell,
    Code,
    Missing,
    Paragraph,
    Part,
    Parts,
    Row,
    Section,
    Words,
)

_FEW = 6


def section(teller: Teller, found: Difference, before: Sheet, after: Sheet) -> Section:
    """A row a change, in groups by kind; the counts add up."""
    counts = {
        what: sum(one.what == what for one in found.changes)
        for what in ("added", "removed", "changed", "renamed")
    }
    blocks: tuple[Block, ...] = (Paragraph(teller.say("sum", total=len(found.changes), **counts)),)
    if found.changes:
        heads = ("what", "before", "now", "moves")
        rows = _rows(teller, found, before, after)
        table = teller.table("changes", "list_caption", heads, rows)
        blocks = (*blocks, table)
    return Section(id="changes", title=teller.word("list_title"), blocks=blocks)


def _rows(teller: Teller, found: Difference, before: Sheet, after: Sheet) -> Iterator[Row]:
    last = ""
    for place, one in enumerate(found.changes, 1):
        if one.kind != last:
            yield group(Words(teller.kind(one)))
        last = one.kind
        moved = sum(one.id in move.by for move in found.moves)
        yield _row(teller, one, (before, after), moved, f"change-{place}")


def _row(teller: Teller, one: Change, sheets: tuple[Sheet, Sheet], moved: int, anchor: str) -> Row:
    name: Part = Code(one.name) if one.name else Words(teller.kind(one))
    sides = [
        _side(teller, one, sheet, is_now)
        for sheet, is_now in zip(sheets, (False, True), strict=True)
    ]
    what = cell((name,), (Words(teller.word(f"was_{one.what}")),))
    count: Part = Words(str(moved)) if moved else Missing(teller.word("none"))
    return row(what, *sides, cell(count), anchor=anchor)


def _side(teller: Teller, one: Change, sheet: Sheet, is_now: bool) -> Cell:
    """A line a value that one side has; what is not there says so."""
    told = [(detail, _of(detail, is_now)) for detail in one.details]
    lines = [
        _line(teller, detail, text, sheet.number(text, detail.name or one.name))
        for detail, text in told[:_FEW]
        if text is not None
    ]
    if not lines:
        return cell(Missing(teller.word("not_there")))
    if len(told) > _FEW:
        lines.append(teller.say("more", n=len(told) - _FEW))
    return cell(*lines)


def _of(detail: Detail, is_now: bool) -> str | None:
    return detail.after if is_now else detail.before


def _line(teller: Teller, detail: Detail, text: str, figure: Document | None) -> Parts:
    named: Parts = (Code(detail.name), Words(" ")) if detail.name else ()
    return (*named, *teller.value(text, figure))
