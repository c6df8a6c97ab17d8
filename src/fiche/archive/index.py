"""The index of an archive: made from the bags, deletable, and never what a bag says.

SQLite in a file of its own, which makes itself anew where it does not fit; or a team's PostgreSQL, which is
made anew by a command alone, since others rely on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from fiche.archive.index_asked import Asked
from fiche.archive.index_columns import FORMAT, table
from fiche.archive.index_database import NONE, Bound, Database, UnfitError
from fiche.archive.index_filled import Told, catch_up, fill_anew, is_of, state_of
from fiche.archive.index_found import Answer, Found, Listing, Statement
from fiche.archive.index_lines import Aliases, as_named, no_aliases
from fiche.archive.index_links import leading_nowhere, statements
from fiche.archive.index_place import ambiguous, file_of, is_server, unfit
from fiche.archive.index_search import answered, listing, totals
from fiche.archive.index_sqlite import SqliteDatabase
from fiche.archive.index_texts import kept
from fiche.archive.refusals import unknown
from fiche.archive.store import Store

if TYPE_CHECKING:
    from fiche.archive.overview import Counted

_BEGINNING = re.compile(r"[0-9a-f-]{1,36}")
_MOST_NAMED = 8
T = TypeVar("T")


class Index:
    """An index. `notes` has what was done unasked, in words, to be said beside the results."""

    def __init__(self, reach: Callable[[], Database], aliases: Aliases) -> None:
        self._reach, self._aliases = reach, aliases
        self._database = reach()
        self._store: Store | None = None
        self.notes: list[str] = []
        self.told: Told | None = None

    @staticmethod
    def opened(url: str, aliases: Aliases = no_aliases) -> Index:
        """The index at a URL of PostgreSQL, or in the file of this path or `sqlite:///` URL.

        Raises:
            Refused: F950 the file cannot be used; F952 the server does not answer; F953 the URL is none.
        """
        if is_server(url):
            from fiche.archive.index_postgres import PostgresDatabase

            return Index(lambda: PostgresDatabase(url), aliases)
        path = file_of(url)
        return Index(lambda: SqliteDatabase(path), aliases)

    @property
    def where(self) -> str:
        """What people call it; never with a password."""
        return self._database.where

    def catch_up(self, store: Store) -> None:
        """Enter what was added since; make the index anew where it is none of this archive.

        Raises:
            Refused: F951 a server's index is of another archive or format; what `opened` raises.
        """
        self._store = store
        self._mended(self._caught_up)

    def _caught_up(self) -> None:
        assert self._store is not None
        state = state_of(self._database)
        if is_of(state, self._store):
            catch_up(self._database, self._store, self._aliases, state)
        elif self._database.replaceable:
            self._made(self._store, unless=self._fits)
        else:
            raise unfit(self.where, state.get("archive", ""), self._store)

    def _fits(self) -> bool:
        """Somebody else may have made it while this one waited."""
        return self._store is not None and is_of(state_of(self._database), self._store)

    def _made(self, store: Store, unless: Callable[[], bool] = lambda: False) -> int:
        state = state_of(self._database)
        if state and not is_of(state, store):
            of = "another archive" if state.get("format") == FORMAT else "another version of fiche"
            self.notes.append(f"{self.where} was of {of}, and was made anew from the bags")
        if isinstance(self._database, SqliteDatabase):
            self._database.settle()
        return fill_anew(self._database, store, self._aliases, unless=unless, told=self.told)

    def rebuilt(self, store: Store) -> int:
        """Make the index anew from every bag; how many entries it then has.

        Raises:
            Refused: what `opened` raises.
        """
        self._store = store
        return self._mended(lambda: self._made(store))

    def _mended(self, ask: Callable[[], T]) -> T:
        """What `ask` answers; a damaged file of our own is thrown away, made anew and asked once more."""
        try:
            return ask()
        except UnfitError as error:
            store, database = self._store, self._database
            if store is None or not isinstance(database, SqliteDatabase):
                raise unfit(self.where, "", store) from error
            self.notes.append(f"{self.where} was damaged, and was made anew from the bags")
            database.take_away()
            self._database = self._reach()
            self._made(store, unless=self._fits)
            return ask()

    def search(self, asked: Asked) -> Iterator[Found]:
        """The rows that meet a question, the first ones in its order."""
        return iter(self.answered(asked).found)

    def answered(self, asked: Asked) -> Answer:
        """The same, with how many there are, and what was looked through.

        Raises:
            Refused: what `opened` raises.
        """
        return self._mended(lambda: answered(self._database, asked))

    def listing(self, kinds: Sequence[str] = (), limit: int = 0) -> Listing:
        """The newest entries of some kinds, or of all.

        Raises:
            Refused: what `opened` raises.
        """
        return self._mended(lambda: listing(self._database, kinds, limit))

    def totals(self) -> tuple[int, int]:
        """How many entries there are, and how many rows.

        Raises:
            Refused: what `opened` raises.
        """
        num_rows, num_entries = self._at_once(lambda: totals(self._database))
        return num_entries, num_rows

    def unread(self) -> int:
        """How many bags are known to be there and could not be read.

        Raises:
            Refused: what `opened` raises.
        """
        return int(self._ask(f"SELECT count(*) FROM {table('pending')}")[0][0])

    def _ask(self, statement: str, bound: Bound = NONE) -> list[tuple[Any, ...]]:
        return self._mended(lambda: self._database.rows(statement, bound))

    def id_of(self, text: str) -> str:
        """The id that begins with a text; or that of the one entry that calls itself so.

        Raises:
            Refused: F932 there is none; F955 there are several.
        """
        begin = text.strip().lower()
        where = self.where if self._store is None else self._store.where
        select = f"SELECT id, kind, title FROM {table('entries')} WHERE"
        last = f" ORDER BY id LIMIT {_MOST_NAMED + 1}"
        found = []
        if _BEGINNING.fullmatch(begin):
            bound = {"first": begin, "last": begin + "g"}
            found = self._ask(f"{select} id >= :first AND id < :last{last}", bound)
        if not found and text:
            found = self._ask(f"{select} own_id = :own{last}", {"own": kept(text)})
            decisions = [one for one in found if one[1] == "decision"]
            # The fiche of a decision is called as that is.
            found = decisions if len(decisions) == 1 else found
        if not found and text:
            named = f"SELECT entry FROM {table('names')} WHERE name = :name"
            found = self._ask(f"{select} n IN ({named}){last}", {"name": as_named(text)})
        if len(found) > 1:
            raise ambiguous(begin, found)
        if not found:
            raise unknown(text, where)
        return str(found[0][0])

    def superseding(self, id: str) -> tuple[str, ...]:
        """The ids of entries that say that they supersede this one."""
        statement = (
            f"SELECT DISTINCT e.day, e.id FROM {table('links')} l JOIN {table('entries')} e"
            f" ON e.n = l.entry JOIN {table('entries')} o ON o.n = l.replaced"
            " WHERE o.id = :id ORDER BY e.day, e.id"
        )
        return self._at_once(
            lambda: tuple(one for _, one in self._database.rows(statement, {"id": id}))
        )

    def statements(self, id: str) -> tuple[Statement, ...]:
        """What an entry says that it supersedes, and which entries that is.

        Raises:
            Refused: what `opened` raises.
        """
        return self._at_once(lambda: statements(self._database, id))

    def leading_nowhere(self) -> tuple[Statement, ...]:
        """What entries say that they supersede, where it names none of the archive, or several things.

        Raises:
            Refused: what `opened` raises.
        """
        return self._at_once(lambda: leading_nowhere(self._database))

    def _at_once(self, ask: Callable[[], T]) -> T:
        """What `ask` answers, of one moment."""

        def asked() -> T:
            with self._database.reading():
                return ask()

        return self._mended(asked)

    def confided(self) -> Mapping[str, str]:
        """The ids of entries that are more confidential than they say, for the files that they share.

        Raises:
            Refused: what `opened` raises.
        """
        from fiche.archive.index_confided import confided

        return self._at_once(lambda: confided(self._database))

    def each(self) -> Iterator[Counted]:
        """Every entry of one moment, with the rows that an overview counts."""
        from fiche.archive.index_each import each

        with self._database.reading():
            yield from each(self._database)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()
