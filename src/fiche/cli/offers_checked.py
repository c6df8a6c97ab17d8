"""Tables of offers, held against their schema cell by cell, before any row is judged (F7, law 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, repeat

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
            told = _complaint(path, text) if text else None
            if told is not None:
                yield _at(told, table, column.codes.index(code), text)
    yield from _alone(table)


# Amounts differ by the thousand, the ways of writing them do not: any digit but 0 is read as any other.
_DIGITS = str.maketrans("23456789", "1" * 8)


def _complaint(path: str, text: str) -> Diagnostic | None:
    if path.endswith(".amount") and complaint(path, text.translate(_DIGITS)) is None:
        return None
    return complaint(path, text)


def _alone(table: Table) -> Iterator[Diagnostic]:
    for path, needed in NEEDS:
        column, beside = table.columns.get(path), table.columns.get(needed)
        if column is None:
            continue
        others = beside.codes if beside is not None else repeat(0, len(column.codes))
        said = beside.texts if beside is not None else ("",)
        pairs = zip(column.codes, others, strict=True)
        lone = {
            (here, there) for here, there in set(pairs) if column.texts[here] and not said[there]
        }
        if lone:
            others = beside.codes if beside is not None else repeat(0)
            row = next(
                i for i, pair in enumerate(zip(column.codes, others, strict=False)) if pair in lone
            )
            yield _at(missing(path, needed), table, row, "")


def _at(told: Diagnostic, table: Table, row: int, text: str) -> Diagnostic:
    place = Span(file=table.file, line=table.line_of(row), column=1, text=text)
    return replace(told, address=place, length=1)
