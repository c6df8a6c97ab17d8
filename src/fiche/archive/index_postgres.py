"""An index in a team's PostgreSQL, through SQLAlchemy and psycopg. Passwords are libpq's business alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from fiche.archive.index_columns import TABLES, table
from fiche.archive.index_database import NONE, Bound, Database, UnfitError
from fiche.archive.refusals import refused
from fiche.kernel.diagnostic import Refused

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine

# The number of the lock that whoever writes an index holds; any one that is always the same does.
_LOCK = 0x66696368
# The table through which all go who read more than one.
_GATE = table("state")
# What PostgreSQL calls a table or a column that is missing.
_UNFIT = ("42P01", "42703", "3F000")


class PostgresDatabase(Database):
    """A database of a PostgreSQL server."""

    holds = says = "strpos({0}, {1}) > 0"
    in_order = "JOIN"
    replaceable = False

    def __init__(self, url: str) -> None:
        read = _url(url)
        self.where = str(read)
        self._engine = _engine(read)
        with self._told():
            self._connection = self._engine.connect()

    def rows(self, statement: str, bound: Bound = NONE) -> list[tuple[Any, ...]]:
        """See `Database.rows`."""
        from sqlalchemy import text

        with self._told():
            found = self._connection.execute(text(statement), dict(bound))
            return [tuple(each) for each in found] if found.returns_rows else []

    def fill(self, table_name: str, lines: Iterable[tuple[object, ...]]) -> None:
        """See `Database.fill`."""
        into = f"COPY {table(table_name)} ({', '.join(TABLES[table_name])}) FROM STDIN"
        with self._told():
            driver: Any = self._connection.connection.driver_connection
            with driver.cursor() as cursor, cursor.copy(into) as copy:
                for line in lines:
                    copy.write_row(line)

    @contextlib.contextmanager
    def _transaction(self, isolation: str) -> Iterator[None]:
        self.rows(f"BEGIN ISOLATION LEVEL {isolation}")
        try:
            yield
        except BaseException:
            with contextlib.suppress(Refused):  # the first fault is the one to tell
                self.rows("ROLLBACK")
            raise
        self.rows("COMMIT")

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """See `Database.reading`."""
        with self._transaction("REPEATABLE READ"):
            # Before anything is seen: who waits here for tables that are made anew sees them full afterwards.
            self.rows(f"LOCK TABLE {_GATE} IN ACCESS SHARE MODE")
            yield

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """See `Database.writing`."""
        with self._transaction("READ COMMITTED"):
            self.rows(f"SELECT pg_advisory_xact_lock({_LOCK})")
            yield

    def make(self) -> None:
        """See `Database.make`."""
        from fiche.archive.index_tables import makes

        ((there,),) = self.rows(f"SELECT to_regclass('{_GATE}') IS NOT NULL")
        # Whoever reads holds it first and alone, so nobody waits for two of them crosswise.
        if there:
            self.rows(f"LOCK TABLE {_GATE} IN ACCESS EXCLUSIVE MODE")
        for name in TABLES:
            self.rows(f"DROP TABLE IF EXISTS {table(name)}")
        for statement in makes(self._engine.dialect):
            self.rows(statement)

    def finish(self) -> None:
        """See `Database.finish`."""
        from fiche.archive.index_tables import makes_indexes

        for statement in makes_indexes(self._engine.dialect):
            self.rows(statement)
        for name in TABLES:
            self.rows(f"ANALYZE {table(name)}")

    def close(self) -> None:
        """See `Database.close`."""
        self._connection.close()
        self._engine.dispose()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """What the server or its driver says, in words of our own."""
        import psycopg
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except (SQLAlchemyError, psycopg.Error) as error:
            origin = getattr(error, "orig", None) or error
            if getattr(origin, "sqlstate", None) in _UNFIT:
                raise UnfitError(str(origin)) from error
            message = f"{self.where}: the index cannot be used: {_one_line(origin)}"
            raise refused("F952", message, _REACH) from error


def _url(text: str) -> URL:
    """The address of a database.

    Raises:
        Refused: F953 it is none, or holds a password, which lists of processes and histories would show.
    """
    from sqlalchemy import make_url
    from sqlalchemy.exc import SQLAlchemyError

    try:
        url = make_url(text)
    except (SQLAlchemyError, ValueError):  # its message may repeat a password
        raise refused("F953", "the index is named by no address of a database", _URL) from None
    if url.password is not None or any("password" in name for name in url.query):
        raise refused("F953", "the address of the index holds a password", _PASSWORD)
    return url.set(drivername="postgresql+psycopg")


def _engine(url: URL) -> Engine:
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    try:
        return create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    except ModuleNotFoundError as error:
        hint = "pip install 'fiche[postgres]'"
        raise refused("F952", f"an index in PostgreSQL needs {error.name}", hint) from error


_URL = "write postgresql+psycopg://USER@HOST/DATABASE, without a password"
_PASSWORD = "leave it out: libpq finds it in ~/.pgpass (mode 600), PGPASSFILE or a service file"
_REACH = "check the address and who may use it; a password belongs in ~/.pgpass (mode 600)"


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]
