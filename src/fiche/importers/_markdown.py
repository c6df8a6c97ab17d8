"""Tables of Markdown in a log: found by their heading, read from the right, whatever stands in front.

Rows end in a bar, and a log's prefix may hold bars of its own: so a row is cut from its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fiche.kernel.lazy import lazy

_MOST_ROWS = 20_000
_RULE = lazy(r"[\s:|-]+")


class Row(NamedTuple):
    """One row: the line (from 1, counted by LF), its cells, and the line as it is shown to people."""

    line: int
    cells: tuple[str, ...]
    text: str


def heading(names: Sequence[str]) -> re.Pattern[bytes]:
    """What finds the heading of a table with these column names; an empty name is an empty cell."""
    cells = rb"[ \t]{0,200}\|[ \t]{0,200}".join(re.escape(name.encode()) for name in names)
    return lazy(rb"\|[ \t]{0,200}" + cells + rb"[ \t]{0,200}\|")


def tables(content: bytes, found: re.Pattern[bytes], width: int) -> Iterator[tuple[int, list[Row]]]:
    """Every table under such a heading: the heading's line, and the rows below it."""
    lines = content.split(b"\n")
    here: list[Row] | None = None
    started = 0
    for number, line in enumerate(lines, 1):
        if found.search(line[:20_000]):
            if here is not None:
                yield started, here
            here, started = [], number
            continue
        if here is None:
            continue
        cells = _cells(line, width)
        if cells is None:
            yield started, here
            here = None
        elif any(cells) and not _RULE.fullmatch("|".join(cells)) and len(here) < _MOST_ROWS:
            shown = line.decode("utf-8", "replace").strip()[:400]
            here.append(Row(number, cells, shown))
    if here is not None:
        yield started, here


def _cells(line: bytes, width: int) -> tuple[str, ...] | None:
    """The cells of a row, None where the line is no row of so many columns."""
    text = line[:20_000].decode("utf-8", "replace").strip().replace("\\|", "\x00")
    if not text.endswith("|"):
        return None
    parts = text.rsplit("|", width + 1)
    if len(parts) != width + 2:
        return None
    return tuple(cell.strip().replace("\x00", "|") for cell in parts[1:-1])
