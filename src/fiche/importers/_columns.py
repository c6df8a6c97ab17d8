"""Tables of metrics with commas between: the largest value of each column, and the line where it stands.

Such tables are sparse: an empty cell is "not logged in this row", never zero.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from fiche.importers._refusal import refused
from fiche.kernel.address import Pointer
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Printed
from fiche.kernel.rounding import exact_bytes, printed_interval

MAX_COLUMNS = 10_000
_SCIENTIFIC = lazy(r"([0-9](?:\.[0-9]{1,15})?)[eE]\+?([0-9]{1,2})")
_LARGEST_EXPONENT = 18


@dataclass(slots=True)
class Column:
    """The largest value of one column so far, as printed, with its line."""

    name: str
    largest: Decimal | None = None
    text: str = ""
    line: int = 0
    samples: int = 0

    def take(self, text: str, line: int) -> None:
        """Look at one more cell; text that is no number is passed over."""
        value = number(text)
        if value is None:
            return
        self.samples += 1
        if self.largest is None or value > self.largest:
            self.largest, self.text, self.line = value, text, line

    def pointer(self, sha256: str) -> Pointer:
        """Where the largest value stands."""
        return Pointer(sha256=sha256, line=self.line, text=f"{self.name}: {self.text}"[:400])


def columns(content: bytes, sha256: str, header: re.Pattern[str]) -> list[Column]:
    """Every column of the table, or of the tables where several files were joined.

    `header` matches a cell that only a header holds.

    Raises:
        Refused: the table cannot be read, or has far too many columns (F429).
    """
    found: dict[str, Column] = {}
    order: list[Column] = []
    for line, row in _rows(content, sha256, header):
        if any(header.match(cell) for cell in row):
            if len(row) > MAX_COLUMNS:
                message = f"a table with more than {MAX_COLUMNS} columns is no table of metrics"
                raise refused("F429", message, sha256, line=line, hint="name its kind with --kind")
            order = [found.setdefault(cell.strip(), Column(cell.strip())) for cell in row]
            continue
        for column, cell in zip(order, row, strict=False):
            if cell.strip():
                column.take(cell.strip(), line)
    return list(found.values())


def _rows(content: bytes, sha256: str, header: re.Pattern[str]) -> Iterator[tuple[int, list[str]]]:
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
    lines = [line.rstrip("\r").replace("\r", " ").replace("\0", " ") for line in text.split("\n")]
    if not ends_whole(content, header):
        lines[-1] = lines[-1].rpartition(",")[0]
    table = csv.reader(lines)
    try:
        for row in table:
            yield table.line_num, row
    except csv.Error as error:
        hint = "copy the file again; a table that was edited by hand may lack a quote"
        message = f"the table cannot be read: {error}"
        raise refused("F429", message, sha256, line=table.line_num, hint=hint) from None


def ends_whole(content: bytes, header: re.Pattern[str]) -> bool:
    """False where the last row has fewer cells than the header, and no end of line."""
    if content.endswith(b"\n"):
        return True
    first = (line.decode("utf-8", errors="replace") for line in content.split(b"\n", 50)[:50])
    commas = next((line.count(",") for line in first if header.search(line)), 0)
    return content.rpartition(b"\n")[2].count(b",") >= commas


def number(text: str) -> Decimal | None:
    """A finite number of a sensible magnitude; None for anything else."""
    try:
        value = Decimal(text) if len(text) <= 40 else None
    except InvalidOperation:
        return None
    if value is None or not value.is_finite() or abs(value.adjusted()) > _LARGEST_EXPONENT:
        return None
    return value


def whole_bytes(text: str) -> Printed | None:
    """Bytes, exactly; a table that wrote them in powers of ten has rounded them."""
    short = _SCIENTIFIC.fullmatch(text)
    if short is not None:
        digits = len(short[1].partition(".")[2])
        return printed_interval(text, 10 ** int(short[2]), f"nearest-{digits}-digits")
    value = number(text)
    if value is None or value < 0 or value != value.to_integral_value():
        return None
    return exact_bytes(int(value), text)
