"""Rows of `torch.cuda.memory_summary`, whole, or joined again where a narrow terminal broke them.

A row is 75 columns between two bars: a name, four cells. What stands in front of it (a container's or a
rank's prefix) is taken away by comparing, since the table itself begins with a bar.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from fiche.importers._figures import floored, full
from fiche.importers._lines import Line
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed

ROWS = {
    "Allocated memory": "allocated_bytes",
    "Active memory": "active_bytes",
    "Requested memory": "requested_bytes",
    "GPU reserved memory": "reserved_bytes",
    "Non-releasable memory": "inactive_split_bytes",
    "Allocations": "allocation",
    "Active allocs": "active",
    "GPU reserved segments": "segment",
    "Non-releasable allocs": "inactive_split",
    "Oversize allocations": "oversize_allocations",
    "Oversize GPU segments": "oversize_segments",
}
POOLS = {"from large pool": "large_pool", "from small pool": "small_pool"}
# Labels mean powers of 1024; `KB`, `MB` ... before torch 2.1, `KiB`, `MiB` ... since then.
_POWERS = {letter: 1024**power for power, letter in enumerate("KMGTP", 1)}
_CELL = r"\s{0,40}(-?[0-9]{1,20})\s{0,9}((?:[KMGTP]i?)?B|[KM])?\s{0,20}"
_NAMES = "|".join(re.escape(name) for name in (*ROWS, *POOLS))
_ROW = lazy(rf"(?P<name>{_NAMES})\s{{0,40}}\|\s{{0,40}}" + rf"{_CELL}\|" * 4)
_BEGUN = lazy(rf"(?P<name>{_NAMES})\s{{0,40}}\|[\s|]{{0,40}}[0-9]")
_OTHER = lazy(r"\|\s{1,40}(?P<name>[A-Za-z(][^|\n]{2,40}?)\s{0,40}\|" + rf"{_CELL}\|" * 4)
_BAR = lazy(rb"\|[ \t]{1,60}(?=PyTorch |CUDA OOMs|" + _NAMES.encode().replace(b"\\ ", b" ") + rb")")
_MOST_PIECES = 4
_WIDEST = 400


class Cell(NamedTuple):
    """A figure of one column: a whole number, cut down, and its unit as printed ("" for counts)."""

    digits: str
    unit: str

    @property
    def zero(self) -> bool:
        """True for a plain zero: `0 B`, or no unit."""
        return not int(self.digits)

    @property
    def decimal_label(self) -> bool:
        """True for `KB`, `MB` ...: an older torch's word for 1024 and its powers."""
        return len(self.unit) == 2

    def printed(self) -> Printed:
        """The bytes that the cell allows: exact below 768 KiB, else cut down to a whole unit."""
        power = _POWERS.get(self.unit[0], 1)
        if power == 1:
            return full(self.digits, " B", 1)
        return floored(self.digits, f" {self.unit}", power)

    @property
    def text(self) -> str:
        """The cell as printed."""
        return f"{self.digits} {self.unit}".strip()


class Row(NamedTuple):
    """One row: `name` as printed, cells of current, peak, total allocated, total freed."""

    name: str
    cells: tuple[Cell, Cell, Cell, Cell]
    known: bool


def row_of(line: Line) -> Row | None:
    """The row on a line; None where the line holds none, or none that can be put together."""
    match = searched(line, _ROW)
    if match is None:
        match = _OTHER.search(line.raw)
        if match is None or match["name"] == "Metric":
            return None
    groups = match.groups()
    cells = tuple(Cell(groups[n], groups[n + 1] or "") for n in range(1, 9, 2))
    known = match["name"] in ROWS or match["name"] in POOLS
    return Row(match["name"], (cells[0], cells[1], cells[2], cells[3]), known)


def begins(line: Line) -> bool:
    """True where a row surely begins on a line, whether or not it can be read."""
    return _BEGUN.search(line.raw) is not None


def searched(line: Line, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Where a grammar fits a line, or the line joined with what a terminal broke off it."""
    return pattern.search(line.raw) or pattern.search(_joined(line))


def _joined(line: Line) -> str:
    content, end = line.content, line.stop
    bar = _BAR.search(content, line.start, line.stop)
    front = content[line.start : bar.start()] if bar is not None else b""
    parts = [line.raw]
    for _ in range(_MOST_PIECES):
        end = content.find(b"\n", end, end + 2)
        if end < 0:
            break
        stop = content.find(b"\n", end + 1, end + 1 + _WIDEST)
        stop = len(content) if stop < 0 else stop
        piece = content[end + 1 : min(stop, end + 1 + _WIDEST)]
        parts.append(piece.removeprefix(front).rstrip(b"\r").decode("utf-8", errors="replace"))
        end = stop
    return "".join(parts)
