"""Every cell has a head above it and one beside it, though the markup leaves most scopes to HTML's rules."""

import pytest
from render.chromium import launched, opened
from render.pages import page

pytestmark = pytest.mark.browser

# HTML's own algorithm: a head without a scope heads its row where its column has no datum, and its
# column where its row has none.
WITHOUT = """() => {
  const lost = []; let seen = 0;
  for (const table of document.querySelectorAll("table")) {
    if (!table.querySelector("tbody th")) continue;
    const rows = [...table.rows], grid = rows.map(() => []);
    rows.forEach((row, y) => {
      let x = 0;
      for (const cell of row.cells) {
        while (grid[y][x]) x++;
        for (let down = 0; down < cell.rowSpan && y + down < rows.length; down++)
          for (let right = 0; right < cell.colSpan; right++) grid[y + down][x + right] = cell;
        x += cell.colSpan;
      }
    });
    const data = (cells) => cells.some((cell) => cell && cell.tagName === "TD");
    const head = (cell) => cell && cell.tagName === "TH";
    const ofRow = (cell, x) => cell.scope === "rowgroup" || cell.scope === "row"
      || (!cell.scope && !data(grid.map((row) => row[x])));
    const ofColumn = (cell, y) => cell.scope === "col" || (!cell.scope && !data(grid[y]));
    rows.forEach((row, y) => {
      for (const cell of row.cells) {
        if (cell.tagName !== "TD") continue;
        const x = grid[y].indexOf(cell);
        seen++;
        const beside = grid[y].some((other, at) => head(other) && ofRow(other, at));
        const above = grid.slice(0, y).some((other, at) => head(other[x]) && ofColumn(other[x], at));
        if (!beside || !above) lost.push([table.id, y, x, beside, above]);
      }
    });
  }
  return {seen, lost};
}"""


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


@pytest.mark.parametrize("name", ["rich", "hostile"])
def test_every_cell_has_its_heads(browser, name):
    with opened(browser, page(name).decode()) as tab:
        found = tab.evaluate(WITHOUT)
    assert found["seen"] > 100
    assert found["lost"] == []


def test_a_cell_without_a_head_is_seen(browser):
    made = "<table><thead><tr><th>a<th>b<tbody><tr><th>1<td>2<tr><td>3<td>4</table>"
    with opened(browser, made) as tab:
        lost = tab.evaluate(WITHOUT)["lost"]
    assert [place[1:3] for place in lost] == [[1, 1], [2, 0], [2, 1]]
