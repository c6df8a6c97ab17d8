"""The body of a table as HTML: more elements than all the rest of a page, so the template leaves it to this.

A heading in a head is its column's, one in a row of plain cells that row's, by HTML's own rule: it says so only
where it heads several rows. The end of a cell, a row and a body is said by what comes next, and a blank before
it is none (HTML).
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from fiche.render.inline import attribute, written
from fiche.report.parts import Cell, Row, Table


def bodies(table: Table) -> Markup:
    """Rows in bodies, each headed by its group row: a heading of a group spans its body only."""
    spanned = any(row.continues for row in table.rows)
    told: list[str] = []
    for row in table.rows:
        if row.group or not told or (spanned and not row.continues):
            told.append("<tbody>")
        told.append(_group(row, len(table.columns)) if row.group else _row(row))
    return Markup("".join(told))


def _group(row: Row, columns: int) -> str:
    return f"<tr class=group><th scope=rowgroup colspan={columns}>{_lines(row.cells[0])}\n"


def _row(row: Row) -> str:
    told = ["<tr"]
    if row.anchor:
        told.append(f" id={attribute(row.anchor)}")
    if row.candidate:
        told.append(f" data-candidate={attribute(row.candidate)}")
    if row.requirement:
        told.append(f" data-requirement={attribute(row.requirement)}")
    told.append(">")
    cells: Sequence[Cell] = row.cells
    if cells and not row.continues:
        told.append(_heading(cells[0]))
        cells = cells[1:]
    told += [_plain(each) for each in cells]
    told.append("\n")
    return "".join(told)


def _heading(cell: Cell) -> str:
    spans = f" scope=rowgroup rowspan={cell.rows}" if cell.rows > 1 else ""
    return f"<th{spans}>{_lines(cell)}"


def _plain(cell: Cell) -> str:
    kind = " class=n" if cell.numeric else ""
    spans = f" rowspan={cell.rows}" if cell.rows > 1 else ""
    return f"<td{kind}{spans}>{_lines(cell)}"


def _lines(cell: Cell) -> str:
    """The lines of a cell, each behind the first in a block of its own."""
    first, *more = [written(line) for line in cell.lines] or [""]
    return first + "".join([f"<div>{line}</div>" for line in more]) if more else first
