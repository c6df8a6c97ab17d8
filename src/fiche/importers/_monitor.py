"""Rows under the headers of `nvidia-smi dmon` and `pmon`: columns by name, in every selection of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.importers._device_rows import Row, places, rows
from fiche.kernel.lazy import lazy
from fiche.kernel.record import record

# `# gpu   fb ...`, `#Date  Time  gpu ...`, and with commas where --format csv was asked for.
_HEADER = lazy(r"#\s{0,4}((?:Date[\s,]{1,20}Time[\s,]{1,20})?gpu[\s,]{1,20}\S.{0,600})$", re.I)
# A header, or a row of numbers.
OWN = lazy(rb"#|^.{0,60}?[0-9]{1,10}[\s,]{1,40}(?:[0-9]|-)")
_UNITS = lazy(r"#\s{0,4}(?:YYYYMMDD|Idx\b)", re.I)
_SPLIT = lazy(r"[\s,]{1,200}")
_MOST_COLUMNS = 80


@record
class Header:
    """The names of the columns, in order, in lower case."""

    columns: tuple[str, ...]

    def cells(self, found: list[str]) -> dict[str, str] | None:
        """A row by its columns; what stands in front of it is no part of it. None where it is no row."""
        count = len(self.columns)
        if len(found) < count:
            return None
        named = dict(zip(self.columns, found[-count:], strict=True))
        plain = (cell for column, cell in named.items() if column not in ("date", "time"))
        return named if all(_is_cell(cell) for cell in plain) else None

    def time(self, found: list[str]) -> str:
        """Date and time of a row, where the columns have them."""
        cells = self.cells(found) if "time" in self.columns else None
        return f"{cells['date']} {cells['time']}" if cells and "date" in cells else ""


def _is_cell(text: str) -> bool:
    return text == "-" or text.replace(".", "", 1).isdecimal() or text in ("N/A", "[N/A]")


def tokens(text: str) -> list[str]:
    """The words of a row."""
    return [word for word in _SPLIT.split(text.strip()) if word]


def monitors(content: bytes, *, processes: bool) -> Iterator[tuple[Header, Row]]:
    """Every row under a header, with that header; `processes` asks for pmon's, else dmon's.

    A header counts where a line of units follows it.
    """
    first = _first(content)
    if first is None:
        return
    header: Header | None = None
    candidate: Header | None = None
    for row in rows(content, first):
        match = _HEADER.search(row.text) if "#" in row.text else None
        if match is not None:
            names = tuple(tokens(match[1].lower())[:_MOST_COLUMNS])
            candidate = Header(columns=names)
            if header is not None and header.columns != names:
                header = None
        elif candidate is not None and "#" in row.text and _UNITS.search(row.text):
            header = candidate if ("pid" in candidate.columns) == processes else None
        elif header is not None and row.text.strip():
            yield header, row


def _first(content: bytes) -> int | None:
    found = [next(places(content, word), None) for word in (b"# gpu", b"#gpu", b"#Date", b"# Date")]
    return min((place for place in found if place is not None), default=None)
