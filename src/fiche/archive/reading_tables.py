"""Offers in fiche's own form as CSV or JSON lines: an entry like a file of offers in YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from fiche.archive.document import MOST_ROWS
from fiche.archive.entry import Row
from fiche.archive.reading import Subject
from fiche.market._table import NEEDED, read_table

if TYPE_CHECKING:
    from fiche.market._table import Table

_HEAD = 2**16
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# What the objects of JSON lines have at their top: `price.amount` is within one of these.
_TOPS = frozenset(path.partition(".")[0] for path in NEEDED)


def is_offers(name: str, content: bytes) -> bool:
    """True for a table whose first line has what every file of offers has, in its form."""
    first = content[:_HEAD].removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    looks = _FORMS.get(PurePath(name).suffix)
    return looks is not None and looks(first)


def _is_header(line: bytes) -> bool:
    # Names of columns need no quotes; that some program wrote them all the same makes no difference.
    words = {word.strip().strip('"') for word in line.decode("utf-8", "replace").split(",")}
    return words.issuperset(NEEDED)


def _is_object(line: bytes) -> bool:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and told.keys() >= _TOPS


_FORMS: dict[str, Callable[[bytes], bool]] = {".csv": _is_header, ".jsonl": _is_object}


def offers_table(name: str, content: bytes) -> Subject:
    """A row an offer, by the card that it offers, up to as many as an entry has.

    Raises:
        Refused: F101, F302, F305, F306, F621, F628 it says something that no file of offers may.
    """
    table = read_table(content, name)
    days = {day for day in _texts(table, "observed_on") if day}
    return Subject(
        kind="catalog",
        title=name,
        files={name: content},
        main=name,
        rows=tuple(_rows(table)),
        # Read on several days, the file as a whole tells none.
        date=days.pop() if len(days) == 1 and all(map(_DAY.fullmatch, days)) else "",
        format="offers/1",
    )


def _rows(table: Table) -> Iterator[Row]:
    ids = table.ids[:MOST_ROWS]
    # Where a cell has several lines, to find the line of each row would take longer than all else.
    is_plain = not table.header or table.content.count(b"\n") <= len(table.ids) + 1
    for place, (id, card) in enumerate(zip(ids, _texts(table, "gpu"), strict=False)):
        where = f"line {table.line_of(place)}" if is_plain else f"row {place + 1}"
        yield Row(card=card, candidate=id, place=where)


def _texts(table: Table, path: str) -> Sequence[str]:
    column = table.columns.get(path)
    return [] if column is None else [column.texts[code] for code in column.codes]
