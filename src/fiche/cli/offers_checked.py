"""Tables of offers, held against their schema cell by cell, before any row is judged (F7, law 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from fiche.kernel.address import Span
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import replace
from fiche.load.offer_cells import NEEDS, complaint, missing, takes_anything
from fiche.market._table import Table

# More than anybody reads at once.
_MOST = 50


def check_tables(tables: Sequence[Table]) -> None:
    """Refuse files with a cell that may not stand where it does.

    Raises:
        Refused: each such text at the first row that has it, up to fifty of them.
    """
    wrong = list(islice((one for table in tables for one in _wrong(table)), _MOST))
    if wrong:
        raise Refused(wrong)


def _wrong(table: Table) -> Iterator[Diagnostic]:
    for path, column in table.columns.items():
        if takes_anything(path):
            continue
        for code, text in enumerate(column.texts):
            told = complaint(path, text) if text else None
            if told is not None:
                yield _at(told, table, column.codes.index(code), text)
    yield from _alone(table)


def _alone(table: Table) -> Iterator[Diagnostic]:
    for path, needed in NEEDS:
        column, beside = table.columns.get(path), table.columns.get(needed)
        if column is None:
            continue
        told = (bool(text) for text in map(column.texts.__getitem__, column.codes))
        said = (
            (bool(text) for text in map(beside.texts.__getitem__, beside.codes))
            if beside is not None
            else (False for _ in column.codes)
        )
        row = next(
            (
                i
                for i, (here, there) in enumerate(zip(told, said, strict=True))
                if here and not there
            ),
            None,
        )
        if row is not None:
            yield _at(missing(path, needed), table, row, "")


def _at(told: Diagnostic, table: Table, row: int, text: str) -> Diagnostic:
    place = Span(file=table.file, line=table.line_of(row), column=1, text=text)
    return replace(told, address=place, length=1)
