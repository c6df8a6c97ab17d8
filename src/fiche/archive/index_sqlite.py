"""An index in a file of its own, by Python's own SQLite.

Not through SQLAlchemy: importing that takes more than a whole search. It only says how the tables are made.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fiche.archive.index_columns import TABLES, table
from fiche.archive.index_database import NONE, Bound, Database, UnfitError, unusable
from fiche.archive.index_place import NAME

# How long one waits for another who writes: making the index of a large archive takes a while.
_PATIENCE = 120
_SIGNS, _ESCAPED = re.compile(r"[%_\\]"), r"\\\g<0>"
_MAPPED = 2**30
# The primary codes of SQLite: a missing table, a damaged file, no database at all.
_UNFIT = (1, 11, 26)
_BUSY = (5, 6)
# What an index says of itself in its head, where SQLite keeps a number for that.
_MARK = b"fich"
_MARK_AT = 68


class SqliteDatabase(Database):
    """A file of SQLite."""

    holds = "instr({0}, {1}) > 0"
    # Half the time of the above. Both sides are folded, so it makes no difference that case counts for nothing.
    says = "{0} LIKE {1} ESCAPE '\\'"
    in_order = "CROSS JOIN"
    replaceable = True

    def __init__(self, path: Path) -> None:
        self.path, self.where = path, str(path)
        if path.exists() and not path.is_file():
            raise unusable(self.where, "it is no file", _ELSEWHERE)
        with self._told():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
            self._inode = path.stat().st_ino
            # A file that somebody handed over may hold more than tables.
            self._connection.execute("PRAGMA trusted_schema = OFF")
            self._connection.execute(f"PRAGMA mmap_size = {_MAPPED}")
        self._know_it()

    def _know_it(self) -> None:
        """An index may be made anew, and what is damaged goes then: never what is somebody's own.

        Raises:
            Refused: F950 the file holds something else.
        """
        try:
            is_ours = all(
                name.startswith((_PREFIX, "sqlite_"))
                for (name,) in self.rows("SELECT tbl_name FROM sqlite_master")
            )
        except UnfitError:
            is_ours = self.path.name == NAME or _is_marked(self.path)
        if not is_ours:
            self.close()
            raise unusable(self.where, "it holds something else than an index", _FOREIGN)

    def rows(self, statement: str, bound: Bound = NONE) -> list[tuple[Any, ...]]:
        """See `Database.rows`."""
        with self._told():
            return self._connection.execute(statement, bound).fetchall()

    def sought(self, text: str) -> str:
        """See `Database.sought`."""
        return f"%{_SIGNS.sub(_ESCAPED, text)}%"

    def fill(self, table_name: str, lines: Iterable[tuple[object, ...]]) -> None:
        """See `Database.fill`."""
        columns = TABLES[table_name]
        places = ", ".join("?" * len(columns))
        into = f"INSERT INTO {table(table_name)} ({', '.join(columns)}) VALUES ({places})"
        with self._told():
            self._connection.executemany(into, lines)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """See `Database.reading`."""
        self.rows("BEGIN")
        try:
            yield
        finally:
            self._end("COMMIT")

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """See `Database.writing`."""
        self.rows("BEGIN IMMEDIATE")
        try:
            yield
            self.rows("COMMIT")
        finally:
            self._end("ROLLBACK")
        self._shorten()

    def _shorten(self) -> None:
        """Bring the log of what was written into the file: whoever opens it next would read all of that log.

        Where others read meanwhile, it is not waited for.
        """
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._connection.execute(f"PRAGMA busy_timeout = {_PATIENCE * 1000}")

    def _end(self, statement: str) -> None:
        if self._connection.in_transaction:
            self.rows(statement)

    def make(self) -> None:
        """See `Database.make`."""
        from sqlalchemy.dialects import sqlite

        from fiche.archive.index_tables import makes

        for name in TABLES:
            self.rows(f"DROP TABLE IF EXISTS {table(name)}")
        for statement in makes(sqlite.dialect()):
            self.rows(statement)
        self.rows(f"PRAGMA application_id = {int.from_bytes(_MARK, 'big')}")

    def finish(self) -> None:
        """See `Database.finish`."""
        from sqlalchemy.dialects import sqlite

        from fiche.archive.index_tables import makes_indexes

        for statement in (*makes_indexes(sqlite.dialect()), "ANALYZE"):
            self.rows(statement)

    def settle(self) -> None:
        """Let readers and a writer work at the same time, where the file system can do that."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        """See `Database.close`."""
        self._connection.close()

    def take_away(self) -> None:
        """Remove the file, which cannot be read and so is open nowhere, with what SQLite keeps beside it."""
        self.close()
        with contextlib.suppress(OSError):
            if self.path.stat().st_ino != self._inode:
                return  # somebody else was faster
        for ending in ("", "-wal", "-shm", "-journal"):
            with contextlib.suppress(OSError):
                Path(f"{self.path}{ending}").unlink()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite or the system says, in words of our own."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _UNFIT:
                raise UnfitError(str(error)) from error
            hint = _WAIT if code in _BUSY else _ELSEWHERE
            raise unusable(self.where, str(error), hint) from error
        except OSError as error:
            raise unusable(self.where, error.strerror or str(error), _ELSEWHERE) from error


def _is_marked(path: Path) -> bool:
    """True where the head of a file says that fiche made it, whatever became of the rest."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_MARK_AT + len(_MARK))
    except OSError:
        return False
    return head.startswith(b"SQLite format 3\0") and head.endswith(_MARK)


_PREFIX = table("")
_FOREIGN = (
    "nothing of it was touched: name another file, or one that is not there yet: --index FILE"
)
_WAIT = "another program is writing it: try again"
_ELSEWHERE = "check the free space and the rights there, or name another file: --index FILE"
