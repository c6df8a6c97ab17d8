"""What an index asks of the database that holds it. Values always travel beside a statement, never in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from fiche.archive.refusals import refused
from fiche.kernel.diagnostic import Refused

Bound = Mapping[str, object]
NONE: Bound = {}


class UnfitError(Exception):
    """The database holds no index that can be used: none, a damaged one, or one of other tables."""


class Database(ABC):
    """A database: `where` is how people name it, and never has a password.

    `holds` asks whether a column's text has a part, with two places to fill; `says` is the quickest way to ask
    that of long texts, for what `sought` makes of the part. `in_order` joins two tables so that the first one
    leads. `replaceable` is True where a database is the index's own, and may be made anew unasked.
    """

    where: str
    holds: str
    says: str
    in_order: str
    replaceable: bool

    @abstractmethod
    def rows(self, statement: str, bound: Bound = NONE) -> list[tuple[Any, ...]]:
        """What a statement answers; `:name` in it stands for a value of `bound`.

        Raises:
            UnfitError: a table is missing, or the database is damaged.
            Refused: F950, F952 it does not answer.
        """

    def sought(self, text: str) -> str:
        """What `says` takes for a text."""
        return text

    @abstractmethod
    def fill(self, table: str, lines: Iterable[tuple[object, ...]]) -> None:
        """Enter lines of all columns into a table; see `rows` for what it raises."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[object]:
        """As long as this lasts, all answers are of one moment."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[object]:
        """All of what is written meanwhile is kept, or none of it; others who write wait."""

    @abstractmethod
    def make(self) -> None:
        """Make the tables, in the place of those that are there."""

    @abstractmethod
    def finish(self) -> None:
        """Make the indexes, and count what is in the tables."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""


def unusable(where: str, why: str, hint: str) -> Refused:
    """F950: the file of an index can be neither read nor written."""
    return refused("F950", f"{where}: the index cannot be used: {why}", hint)
