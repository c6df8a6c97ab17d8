"""The body of a table: what heads what, what spans what, and no text that becomes markup."""

from fiche.render._bodies import bodies
from fiche.report.parts import Cell, Code, Column, Quoted, Row, Table, Words


def told(*rows: Row) -> list[str]:
    columns = (Column(title="a"), Column(title="b"))
    return str(bodies(Table(id="t", caption="c", columns=columns, rows=rows))).splitlines()


def cell(*lines: str, rows: int = 1, numeric: bool = False) -> Cell:
    return Cell(lines=tuple((Words(line),) for line in lines), rows=rows, numeric=numeric)


def test_the_first_cell_heads_its_row_and_a_number_keeps_to_the_right():
    assert told(Row(cells=(cell("a"), cell("1", numeric=True)))) == [
        "<tbody><tr><th>a<td class=n>1"
    ]


def test_a_group_heads_a_body_of_its_own_over_all_columns():
    rows = (Row(cells=(cell("one"),)), Row(cells=(cell("g"),), group=True), Row(cells=(cell("x"),)))
    assert told(*rows) == [
        "<tbody><tr><th>one",
        "<tbody><tr class=group><th scope=rowgroup colspan=2>g",
        "<tr><th>x",
    ]


def test_what_spans_rows_has_a_body_and_the_rows_below_it_have_no_heading():
    first = Row(cells=(cell("a", rows=2), cell("b", rows=2)))
    below = Row(cells=(cell("c"),), continues=True)
    assert told(first, below, Row(cells=(cell("d"),))) == [
        "<tbody><tr><th scope=rowgroup rowspan=2>a<td rowspan=2>b",
        "<tr><td>c",
        "<tbody><tr><th>d",
    ]


def test_lines_behind_the_first_are_blocks_and_a_cell_may_have_none():
    assert told(Row(cells=(cell(), cell("a", "b", "c")))) == [
        "<tbody><tr><th><td>a<div>b</div><div>c</div>"
    ]


def test_names_that_attributes_cannot_hold_bare_are_quoted_and_nothing_becomes_markup():
    hostile = '"><script>\u202e'
    row = Row(
        cells=(Cell(lines=((Quoted(hostile), Code(hostile)),)),),
        anchor="point-1",
        candidate="two words",
        requirement=hostile,
    )
    (line,) = told(row)
    shown = "&#34;&gt;&lt;script&gt;‹U+202E›"
    assert line == (
        f'<tbody><tr id=point-1 data-candidate="two words" data-requirement="{shown}">'
        f"<th>{shown}<code>{shown}</code>"
    )
