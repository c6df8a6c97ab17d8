"""Our own form of offers in CSV or JSON lines, read as columns (schemas/offers.schema.json has the same keys).

CSV has one column a path (`price.amount`, `tax.basis`); what is empty is not stated. JSON lines have one offer
a line, nested as in YAML. Each distinct text is kept once, and a row costs four bytes a column.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain, count

from fiche.kernel.market import Column
from fiche.kernel.record import record
from fiche.market._lines import (
    csv_chunks,
    csv_rows,
    line_of_csv,
    lone_returns,
    refused,
    starts_in_csv,
    starts_of,
)
from fiche.market._objects import columns_of_lines

_LONGEST = 2**20
_ID = re.compile("[A-Za-z0-9][A-Za-z0-9_-]*", re.ASCII)
_LETTERS = re.compile("[A-Za-z0-9_-]*", re.ASCII)
# What a file of offers has, also one of none.
NEEDED = ("id", "seller", "kind", "gpu", "price.amount")
# What judges nothing and differs in every row is kept only where somebody asks for it.
_WIDE = frozenset({"source", "notes", "documents"})


@record(eq=False)
class Table:
    """A file of offers. `line_of(row)` is where a row starts, counted from 1.

    `content` are its bytes, `header` the paths of a CSV (none for JSON lines).
    """

    file: str
    ids: Sequence[str]
    columns: Mapping[str, Column]
    line_of: Callable[[int], int]
    content: bytes
    header: tuple[str, ...] = ()

    def records(self, rows: Sequence[int]) -> list[tuple[int, dict[str, str] | str]]:
        """(line, what it states) of some rows: paths and texts of a CSV, the text of a JSON line."""
        lines = [self.line_of(row) for row in rows]
        find = starts_in_csv if self.header and lone_returns(self.content) else starts_of
        starts = find(self.content, lines)
        return [(line, self._record(start)) for line, start in zip(lines, starts, strict=True)]

    def _record(self, start: int) -> dict[str, str] | str:
        if not self.header:
            end = self.content.find(b"\n", start)
            return self.content[start : end if end >= 0 else None].decode()
        cells = next(csv_rows(self.content[start : start + _LONGEST], self.file))
        told = zip(self.header, cells, strict=False)
        return {path: text for path, text in told if text}


class _Growing:
    """A column while it is read."""

    __slots__ = ("codes", "texts")

    def __init__(self, before: int) -> None:
        self.texts: defaultdict[str, int] = defaultdict(count().__next__)
        self.codes = array("i", [self.texts[""]]) * before if before else array("i")

    def add(self, told: Sequence[str]) -> None:
        self.codes.extend(map(self.texts.__getitem__, told))


def read_table(content: bytes, name: str) -> Table:
    """Read a file of offers by what its name ends in.

    Raises:
        Refused: F101 it is not UTF-8, F628 a column is unknown or missing, F621 a row cannot be read, F306 an
            id stands twice.
    """
    content = content.removeprefix(b"\xef\xbb\xbf")
    return _read_lines(content, name) if name.endswith(".jsonl") else _read_csv(content, name)


def _read_csv(content: bytes, name: str) -> Table:
    chunks = csv_chunks(content, name)
    opening: list[list[str]] = next(chunks, [[]])
    header, first = opening[0], opening[1:]
    _check_header(header, name)
    kept = [place for place, path in enumerate(header) if path not in _WIDE and path != "id"]
    growing = {header[place]: _Growing(0) for place in kept}
    ids: list[str] = []
    for chunk in chain([first], chunks):
        if set(map(len, chunk)) - {len(header)}:
            chunk = [row for row in chunk if row]
            _check_width(chunk, header, name, len(ids))
        told = list(zip(*chunk, strict=True)) or [()] * len(header)
        ids.extend(told[header.index("id")])
        for place in kept:
            growing[header[place]].add(told[place])

    @cache
    def plain() -> bool:
        ends = content.count(b"\n") + (not content.endswith(b"\n"))
        return ends == len(ids) + 1 and not lone_returns(content)

    def line_of(row: int) -> int:
        return row + 2 if plain() else line_of_csv(content, row)

    return _table(name, ids, growing, line_of, content, tuple(header))


def _check_header(header: Sequence[str], name: str) -> None:
    missing = [path for path in NEEDED if path not in header]
    if missing:
        hint = "write `fiche catalog import` for the listing of another program"
        message = f"a file of offers has the columns {', '.join(NEEDED)}: {missing[0]} is missing"
        raise refused("F628", message, name, 1, hint)
    twice = next((path for path in header if header.count(path) > 1), "")
    if twice:
        raise refused("F628", f"the column '{twice}' stands twice", name, 1)


def _check_width(
    chunk: Sequence[Sequence[str]], header: Sequence[str], name: str, before: int
) -> None:
    place = next((i for i, row in enumerate(chunk) if len(row) != len(header)), None)
    if place is None:
        return
    message = (
        f"row {before + place + 1} has {len(chunk[place])} cells, the header has {len(header)}"
    )
    raise refused("F621", message, name, before + place + 2, "quote a cell that holds a comma")


def _read_lines(content: bytes, name: str) -> Table:
    growing: dict[str, _Growing] = {}
    ids: list[str] = []
    starts = array("i")
    for lines, told in columns_of_lines(content, name):
        own = told.pop("id", [""] * len(lines))
        if "" in own:
            raise refused("F302", "'id' is missing", name, lines[own.index("")])
        for path in (growing.keys() | told.keys()) - _WIDE:
            column = growing.get(path) or growing.setdefault(path, _Growing(len(ids)))
            column.add(told.get(path, [""] * len(lines)))
        ids.extend(own)
        starts.extend(lines)
    return _table(name, ids, growing, starts.__getitem__, content)


def _table(
    name: str,
    ids: list[str],
    growing: Mapping[str, _Growing],
    line_of: Callable[[int], int],
    content: bytes,
    header: tuple[str, ...] = (),
) -> Table:
    if len(set(ids)) != len(ids):
        _refuse_twice(ids, name, line_of)
    _refuse_ids(ids, name, line_of)
    if ids:
        _refuse_unstated(growing, name, line_of)
    told = {**{path: _Growing(0) for path in NEEDED[1:] if not ids}, **growing}
    columns = {
        path: Column(codes=column.codes, texts=tuple(column.texts)) for path, column in told.items()
    }
    return Table(
        file=name, ids=ids, columns=columns, line_of=line_of, content=content, header=header
    )


def _refuse_ids(ids: Sequence[str], name: str, line_of: Callable[[int], int]) -> None:
    """Ids are names that a candidate may bear; the letters of all of them are looked at in one go."""
    if _LETTERS.fullmatch("".join(ids)) and {id[:1] for id in ids}.isdisjoint(("", "-", "_")):
        return
    row = next(place for place, id in enumerate(ids) if not _ID.fullmatch(id))
    hint = "use letters, digits, - and _, with a letter or digit first"
    raise refused("F305", f"{ids[row]!a} is no id", name, line_of(row), hint)


def _refuse_unstated(
    growing: Mapping[str, _Growing], name: str, line_of: Callable[[int], int]
) -> None:
    """What the schema of offers wants of each."""
    for path in NEEDED[1:]:
        column = growing.get(path)
        if column is None or "" in column.texts:
            row = 0 if column is None else column.codes.index(column.texts[""])
            raise refused("F302", f"'{path}' is missing", name, line_of(row))


def _refuse_twice(ids: Sequence[str], name: str, line_of: Callable[[int], int]) -> None:
    first: dict[str, int] = {}
    for row, id in enumerate(ids):
        before = first.setdefault(id, row)
        if before != row:
            hint = f"the first stands on line {line_of(before)}"
            raise refused("F306", f"offer '{id}' is named twice", name, line_of(row), hint)


def joined(tables: Sequence[Table]) -> tuple[tuple[str, ...], dict[str, Column]]:
    """The ids and columns of several files, one after the other.

    Raises:
        Refused: F503 an id stands in two of them.
    """
    if len(tables) == 1:
        return tuple(tables[0].ids), dict(tables[0].columns)
    ids = tuple(chain.from_iterable(table.ids for table in tables))
    if len(set(ids)) != len(ids):
        _refuse_shared(tables)
    paths = dict.fromkeys(path for table in tables for path in table.columns)
    return ids, {path: _end_to_end(path, tables) for path in paths}


def _end_to_end(path: str, tables: Sequence[Table]) -> Column:
    whole = _Growing(0)
    for table in tables:
        column = table.columns.get(path)
        if column is None:
            whole.add([""] * len(table.ids))
        else:
            own = [whole.texts[text] for text in column.texts]
            whole.codes.extend(map(own.__getitem__, column.codes))
    return Column(codes=whole.codes, texts=tuple(whole.texts))


def _refuse_shared(tables: Sequence[Table]) -> None:
    first: dict[str, str] = {}
    for table in tables:
        for row, id in enumerate(table.ids):
            before = first.setdefault(id, table.file)
            if before is not table.file:
                hint = "an id stands for one offer over all files"
                message = f"offer '{id}' exists already in {before}"
                raise refused("F503", message, table.file, table.line_of(row), hint)
