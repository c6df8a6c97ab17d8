"""Tables of `torch.cuda.memory_summary` in a log: which rows belong together (evidence_formats 2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fiche.importers._lines import Line, lines
from fiche.importers._prefix import Speaker
from fiche.importers._refusal import refused
from fiche.importers._summary_rows import POOLS, ROWS, Row, begins, row_of, searched
from fiche.kernel.lazy import lazy

ANCHORS = (
    b"memory summary",
    b"CUDA OOMs",
    b"rivate pool",
    *(name.encode() for name in (*POOLS, *ROWS)),
)
_TITLE = lazy(
    r"PyTorch\s{0,3}(?P<backend>[A-Z]\w{1,11}?)\s{0,3}memory\s{0,3}summary,\s{0,3}device\s{0,3}ID"
    r"\s{0,3}(?P<device>\d{1,4})"
    r"\s{0,40}\|"
)
_OOMS = lazy(
    r"CUDA OOMs:\s{0,3}(?P<ooms>\d{1,12})\s{0,20}\|"
    r"\s{0,20}cudaMalloc\s{0,3}retries:\s{0,3}(?P<retries>\d{1,12})\s{0,20}\|"
)
# Printed by every version, one of them in the middle: a whole table has both.
_ALWAYS = ("Allocated memory", "GPU reserved memory")
_CLOSED = b"|====="
_TAIL = 1_200


@dataclass(slots=True)
class Entry:
    """A row with its line; `owner` is the row that a pool's row belongs to, its own name else."""

    line: Line
    row: Row
    owner: str


@dataclass(slots=True)
class Table:
    """One table: `title` is its first line (None where the log begins inside it)."""

    title: Line | None
    device: int | None = None
    backend: str = "cuda"
    ooms: int = 0
    retries: int = 0
    counter_line: Line | None = None
    entries: list[Entry] = field(default_factory=list)
    broken: Line | None = None

    def has(self, name: str) -> bool:
        """True where a row of this name was read."""
        return any(entry.row.name == name for entry in self.entries)


def tables(content: bytes, sha256: str) -> list[Table]:
    """Every table of a log, in order.

    Raises:
        Refused: rows of two tables stand mixed, or a row cannot be put together again (F445).
    """
    found: list[Table] = []
    opened: dict[Speaker, Table] = {}
    for line in lines(content, ANCHORS):
        for table in _read(line, opened, sha256):
            opened[line.speaker] = table
            found.append(table)
    for table in found:
        _check(table, content, sha256)
    return found


def _read(line: Line, opened: dict[Speaker, Table], sha256: str) -> Iterator[Table]:
    """Put a line where it belongs; a table that begins with it is handed back."""
    table = opened.get(line.speaker)
    title = searched(line, _TITLE) if "memory summary" in line.raw else None
    if title is not None:
        if table is not None and table.title is not None and not table.entries:
            raise _mixed(line, sha256)
        backend = title["backend"].casefold()
        yield Table(title=line, device=int(title["device"]), backend=backend)
        return
    counts = searched(line, _OOMS) if "CUDA OOMs" in line.raw else None
    if counts is not None:
        if table is None or table.counter_line is not None or table.entries:
            table = Table(title=None)
            yield table
        table.counter_line = line
        table.ooms, table.retries = int(counts["ooms"]), int(counts["retries"])
        return
    row = row_of(line)
    if row is None:
        if begins(line) and table is not None:
            table.broken = table.broken or line
        return
    if table is None or (row.name == "Allocated memory" and all(map(table.has, _ALWAYS))):
        table = Table(title=None)
        yield table
    _add(table, line, row, sha256)


def _add(table: Table, line: Line, row: Row, sha256: str) -> None:
    own = row.name in ROWS or not row.known
    if own and table.has(row.name):
        raise _mixed(line, sha256)
    owner = row.name if own else table.entries[-1].owner if table.entries else ""
    pools = [entry.row.name for entry in table.entries if entry.owner == owner]
    if not own and (not owner or row.name in pools):
        raise _mixed(line, sha256)
    table.entries.append(Entry(line, row, owner))


def _check(table: Table, content: bytes, sha256: str) -> None:
    """Refuse a table that is whole and yet lacks a row, or has one that does not fit together."""
    if table.broken is not None and not _last(table.broken, content):
        raise _unreadable(table.broken, sha256)
    last = table.entries[-1].line if table.entries else None
    missing = [name for name in _ALWAYS if not table.has(name)]
    if last is not None and table.title is not None and missing and closed(table, content):
        raise _unreadable(table.title, sha256)


def closed(table: Table, content: bytes) -> bool:
    """True where the table's lower border stands behind its last row."""
    if not table.entries:
        return False
    stop = table.entries[-1].line.stop
    return _CLOSED in content[stop : stop + _TAIL]


def _last(line: Line, content: bytes) -> bool:
    """True where nothing but what a terminal broke off follows a line."""
    return content.count(b"|", line.stop, line.stop + _TAIL) <= len("|||||")


def _mixed(line: Line, sha256: str) -> Exception:
    hint = "cut the log into one file a process, or print the table of one rank only"
    message = "rows of two memory summaries stand mixed, and nothing tells them apart"
    return refused("F445", message, sha256, line=line.number, hint=hint)


def _unreadable(line: Line, sha256: str) -> Exception:
    hint = "copy the table from a wider terminal or from the file of the log: its lines have 77 columns"
    message = "a row of the memory summary is broken and cannot be put together again"
    return refused("F445", message, sha256, line=line.number, hint=hint)
