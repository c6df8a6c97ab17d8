"""The first rows that meet a question, in the order asked for: where many do, without sorting all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from fiche.archive.index_asked import Asked
from fiche.archive.index_columns import table
from fiche.archive.index_database import Database
from fiche.archive.index_where import Where

_ENTRIES, _ROWS, _WORDS = table("entries"), table("rows"), table("words")
# More words than this are sorted by looking each of them up.
_RANKED = 64
# More words than this are not asked for one by one.
_WALKED = 5000
_First = list[tuple[int, int | None]]


def joined(where: Where, join: str = "JOIN") -> str:
    """Entries with their rows; one that has none is there, unless a row is asked for."""
    kind = join if where.needs_rows else "LEFT JOIN"
    return f"{_ENTRIES} e {kind} {_ROWS} r ON r.entry = e.n"


def first_rows(
    database: Database, where: Where, asked: Asked, counts: tuple[int, int], every: tuple[int, int]
) -> _First:
    """The number of the entry of each, and the row's place in it; `counts` are found, among `every`."""
    # Where many are found, it is soon that there are enough of them, in the order of an index.
    soon = 0 < asked.limit * every[1] < counts[0] * counts[1]
    by_entry = asked.sort in ("date", "added")
    found = _by_words(database, where, asked) if soon and not by_entry else None
    if found is not None:
        return found
    limit = f" LIMIT {where.value(asked.limit)}" if asked.limit else ""
    tables = joined(where, database.in_order if soon and by_entry else "JOIN")
    statement = f"SELECT e.n, r.place FROM {tables} WHERE {where.text}"
    lines = database.rows(f"{statement} ORDER BY {_order(database, asked)}{limit}", where.bound)
    return [(n, place) for n, place in lines]


def _by_words(database: Database, where: Where, asked: Asked) -> _First | None:
    """The rows of the first word, then those of the next; None where those with a word are not enough."""
    is_amount = asked.sort == "amount"
    name = "unit" if is_amount else asked.sort
    words = database.rows(
        f"SELECT folded, n FROM {_WORDS} WHERE kind = '{name}' ORDER BY n LIMIT {_WALKED + 1}"
    )
    if len(words) > _WALKED:
        return None
    limit = where.value(asked.limit)
    found: _First = []
    for numbers in _groups(words, asked):
        some = _amounts if is_amount else _newest
        found += some(database, where, asked, name, numbers, limit)
        if len(found) >= asked.limit:
            return found[: asked.limit]
    return None


def _groups(words: Sequence[tuple[Any, ...]], asked: Asked) -> Iterator[list[int | None]]:
    """The numbers of each folded word, in order; amounts without a unit come before all units."""
    ordered = sorted(words, reverse=asked.backwards)
    groups: list[list[int | None]] = [
        [n for _, n in some] for _, some in groupby(ordered, key=itemgetter(0))
    ]
    if asked.sort == "amount":
        groups.insert(len(groups) if asked.backwards else 0, [None])
    yield from groups


def _newest(
    database: Database,
    where: Where,
    asked: Asked,
    name: str,
    numbers: Sequence[int | None],
    limit: str,
) -> _First:
    """Rows of a word, those of the newest entries first."""
    among = f"r.{name}_n IN ({', '.join(map(str, numbers))})"
    statement = (
        f"SELECT e.n, r.place FROM {_outward(database)} WHERE {among} AND {where.text}"
        f" ORDER BY e.day DESC, e.id DESC, r.place LIMIT {limit}"
    )
    return [(n, place) for n, place in database.rows(statement, where.bound)]


def _amounts(
    database: Database,
    where: Where,
    asked: Asked,
    name: str,
    numbers: Sequence[int | None],
    limit: str,
) -> _First:
    """Rows of a unit by their amounts; each number by itself, since an index has those in order."""
    lines: list[tuple[Any, ...]] = []
    for number in numbers:
        of = f"r.{name}_n IS NULL" if number is None else f"r.{name}_n = {number}"
        statement = (
            "SELECT e.n, r.place, r.amount_key, e.day, e.id"
            f" FROM {_outward(database)} WHERE {of} AND r.amount_key <> '' AND {where.text}"
            f" ORDER BY r.amount_key{' DESC' if asked.backwards else ''}, e.day DESC, e.id DESC,"
            f" r.place LIMIT {limit}"
        )
        lines += database.rows(statement, where.bound)
    lines.sort(key=itemgetter(1))
    lines.sort(key=itemgetter(3, 4), reverse=True)
    lines.sort(key=itemgetter(2), reverse=asked.backwards)
    return [(n, place) for n, place, *_ in lines]


def _outward(database: Database) -> str:
    """Rows, and of each its entry."""
    return f"{_ROWS} r {database.in_order} {_ENTRIES} e ON e.n = r.entry"


def _order(database: Database, asked: Asked) -> str:
    down, up = ("", " DESC") if asked.backwards else (" DESC", "")
    if asked.sort == "date":
        return f"e.day{down}, e.id{down}, r.place"
    if asked.sort == "added":
        return f"e.added{down}, e.id{down}, r.place"
    if asked.sort == "amount":
        unit = _ranked(database, "unit")
        without = "coalesce(r.amount_key, '') = ''"
        return f"{without}, {unit}{up}, r.amount_key{up}, e.day DESC, e.id DESC, r.place"
    untold = f"r.{asked.sort}_n IS NULL"
    return f"{untold}, {_ranked(database, asked.sort)}{up}, e.day DESC, e.id DESC, r.place"


def _ranked(database: Database, name: str) -> str:
    """What rows are sorted by for one of their words: its place among all of its kind, where they are few."""
    statement = (
        f"SELECT n, folded FROM {_WORDS} WHERE kind = '{name}' ORDER BY n LIMIT {_RANKED + 1}"
    )
    words = database.rows(statement)
    if len(words) > _RANKED:
        return f"coalesce((SELECT folded FROM {_WORDS} w WHERE w.n = r.{name}_n), '')"
    places = {text: place for place, text in enumerate(sorted(text for _, text in words), start=1)}
    cases = "".join(f" WHEN {n} THEN {places[text]}" for n, text in words)
    return f"CASE r.{name}_n{cases} ELSE 0 END" if cases else "0"
