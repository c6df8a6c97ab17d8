"""Offers by the hundred thousand: columns of texts, each distinct text once, and no object a row."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping

from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.record import record


@record(eq=False)
class Column:
    """One path of the offers form: `texts` are its distinct texts, `codes` say which one each row has.

    The empty text means that a row does not state it.
    """

    codes: array[int]
    texts: tuple[str, ...]

    def text(self, row: int) -> str:
        """What a row states."""
        return self.texts[self.codes[row]]


@record(eq=False)
class Cell:
    """What one text under one path says: figures and facts of an offer, by their names in the kernel."""

    figures: Mapping[str, Figure]
    facts: Mapping[str, Fact]


@record(eq=False)
class Market:
    """Offers as columns, by path (`price.amount`, `tax.basis`); every column has as many rows as `ids`.

    `ids` are unique. `cell(path, text)` reads one text as the loader of offers does; it raises `Refused`
    for a text that it refuses.
    """

    ids: tuple[str, ...]
    columns: Mapping[str, Column]
    cell: Callable[[str, str], Cell]

    def text(self, path: str, row: int) -> str:
        """What a row states under a path; empty where it does not."""
        column = self.columns.get(path)
        return column.text(row) if column is not None else ""
