"""Filling an index from the bags: all of them anew, or those that were added since it was last looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from fiche.archive.document import Document, document
from fiche.archive.entry import Entry
from fiche.archive.index_bound import STEP, marked, steps
from fiche.archive.index_columns import FORMAT, table
from fiche.archive.index_database import Database, UnfitError
from fiche.archive.index_lines import Aliases, Line, Words, lines_of
from fiche.archive.index_links import link
from fiche.archive.store import Store
from fiche.kernel.diagnostic import Refused

# How many entries are held in memory at once, and how many ids are asked about in one question.
Told = Callable[[int], None]
Fill = Callable[[str, Sequence[Line]], None]


class Filling:
    """Lines on their way into the tables; `last` is the number of the last entry that was there before."""

    def __init__(self, fill: Fill, words: Words, first: int, step: int = 1) -> None:
        self._fill, self._words = fill, words
        self._next, self._step = first, step
        self._waiting: dict[str, list[Line]] = {}
        self.count, self.last = 0, first - 1

    def take(self, told: Document) -> None:
        """Enter one entry."""
        for name, lines in lines_of(told, self._next, self._words).items():
            self._waiting.setdefault(name, []).extend(lines)
        self.count += 1
        self._next += self._step
        if len(self._waiting["entries"]) >= STEP:
            self.flush()

    def flush(self) -> None:
        """Bring what was taken into the tables."""
        for name, lines in {"words": self._words.taken(), **self._waiting}.items():
            if lines:
                self._fill(name, lines)
        self._waiting = {}


def _filling(database: Database, aliases: Aliases) -> Filling:
    """One that goes on where the tables end."""
    known = database.rows(f"SELECT n, kind, text FROM {table('words')}")
    ((last,),) = database.rows(f"SELECT max(n) FROM {table('entries')}")
    words = Words(((n, kind, text) for n, kind, text in known), aliases)
    return Filling(database.fill, words, (last or 0) + 1)


def state_of(database: Database) -> Mapping[str, str]:
    """What an index says of itself; nothing where there is none."""
    try:
        return dict(database.rows(f"SELECT name, text FROM {table('state')}"))
    except UnfitError:
        return {}


def is_of(state: Mapping[str, str], store: Store) -> bool:
    """True for an index of this archive, in the form that this fiche reads."""
    return state.get("format") == FORMAT and state.get("archive") == store.id


def fill_anew(
    database: Database,
    store: Store,
    aliases: Aliases,
    *,
    unless: Callable[[], bool] = lambda: False,
    told: Told | None = None,
) -> int:
    """Make the index anew from every bag; `unless` is asked when nobody else writes any more.

    Returns how many entries it then has.
    """
    with database.writing():
        if not unless():
            _, offset = store.additions(0)
            database.make()
            _fill_all(database, store, aliases, told or _nobody)
            state = {"format": FORMAT, "archive": store.id, "offset": str(offset)}
            database.fill("state", list(state.items()))
            database.finish()
            link(database)
        ((count,),) = database.rows(f"SELECT count(*) FROM {table('entries')}")
    return int(count)


def _fill_all(database: Database, store: Store, aliases: Aliases, told: Told) -> None:
    """Enter every bag; by several processes where there are many."""
    from fiche.archive.index_apart import shares_of, side_by_side

    ids = list(store.ids())
    if shares_of(store, len(ids)) > 1:
        side_by_side(database, store, aliases, ids, told)
    else:
        filling = _filling(database, aliases)
        for entry in store.documents(ids):
            filling.take(entry)
            told(filling.count)
        filling.flush()
    known = {id for (id,) in database.rows(f"SELECT id FROM {table('entries')}")}
    database.fill("pending", [(id, "damaged") for id in ids if id not in known])


def _nobody(_: int) -> None:
    """Nobody wants to be told."""


def catch_up(database: Database, store: Store, aliases: Aliases, state: Mapping[str, str]) -> None:
    """Enter what was added since; a bag that cannot be read is asked for again next time."""
    before = int(state["offset"])
    found, offset = store.additions(before)
    waiting = [id for (id,) in database.rows(f"SELECT id FROM {table('pending')}")]
    new = _unknown(database, dict.fromkeys((*waiting, *(one.id for one in found))))
    for some in steps(new):
        # Read first: others write meanwhile.
        read = {id: _read(store, id) for id in some}
        with database.writing():
            _enter(database, aliases, read)
    if offset != before:
        with database.writing():
            _set(database, "offset", str(offset))


def _read(store: Store, id: str) -> Entry | str:
    """The entry; or why there is none, in a word."""
    try:
        return store.entry(id)
    except Refused as refused:
        return "missing" if refused.diagnostics[0].code == "F932" else "damaged"


def _enter(database: Database, aliases: Aliases, read: Mapping[str, Entry | str]) -> None:
    new = set(_unknown(database, read))
    for some in steps(read):
        marks, bound = marked(some)
        database.rows(f"DELETE FROM {table('pending')} WHERE id IN ({marks})", bound)
    entries = [one for id, one in read.items() if id in new and isinstance(one, Entry)]
    wrong = [(id, why) for id, why in read.items() if id in new and isinstance(why, str)]
    database.fill("pending", wrong)
    if entries:
        filling = _filling(database, aliases)
        for entry in entries:
            filling.take(document(entry))
        filling.flush()
        link(database, filling.last)


def _set(database: Database, name: str, text: str) -> None:
    bound = {"name": name, "text": text}
    database.rows(f"UPDATE {table('state')} SET text = :text WHERE name = :name", bound)


def _unknown(database: Database, ids: Iterable[str]) -> list[str]:
    """Those of the ids that the index has no entry of, in order."""
    asked = list(ids)
    known: set[str] = set()
    for some in steps(asked):
        marks, bound = marked(some)
        answer = database.rows(f"SELECT id FROM {table('entries')} WHERE id IN ({marks})", bound)
        known.update(id for (id,) in answer)
    return [id for id in asked if id not in known]
