"""Asking an index: which rows, how many, and what each thing that was asked for finds by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fiche.archive.entry import Row
from fiche.archive.index_asked import Asked
from fiche.archive.index_columns import WORD_COLUMNS, WORDS, table
from fiche.archive.index_database import Database
from fiche.archive.index_first import first_rows, joined
from fiche.archive.index_found import Answer, Found, Listed, Listing, Looked
from fiche.archive.index_texts import folded
from fiche.archive.index_where import DATED, Condition, Where

_ENTRIES, _ROWS, _WORDS = table("entries"), table("rows"), table("words")
# How many rows are read at once: each names its place in the statement.
_STEP = 400
# The beginning of an id that is shown at least, and how many near words.
_SHORTEST = 8
_NEAR = 4
_LISTED = (
    *("id", "kind", "title", "date", "added", "confidentiality", "keep_until"),
    *("num_rows", "num_files", "num_bytes"),
)


def answered(database: Database, asked: Asked) -> Answer:
    """What the index answers to a question, all of one moment."""
    with database.reading():
        where = Where(database, asked)
        lost = any(each.nothing for each in where.conditions)
        every = totals(database)
        counts = (0, 0) if lost else _counted(database, where)
        first = first_rows(database, where, asked, counts, every) if counts[1] else []
        dated = any(each.option in ("from", "until") for each in where.conditions)
        return Answer(
            found=tuple(_found(database, first)),
            num_rows=counts[0],
            num_entries=counts[1],
            all_rows=every[0],
            all_entries=every[1],
            undated=_undated(database) if dated else 0,
            looked=() if counts[1] else tuple(_looked(database, where)),
        )


def _one(database: Database, statement: str, bound: Mapping[str, object] | None = None) -> Any:  # noqa: ANN401
    return database.rows(statement, bound or {})[0]


def _undated(database: Database) -> int:
    return int(_one(database, f"SELECT count(*) FROM {_ENTRIES} e WHERE NOT {DATED}")[0])


def totals(database: Database) -> tuple[int, int]:
    """How many rows there are, of how many entries."""
    counts = f"SELECT (SELECT count(*) FROM {_ROWS}), (SELECT count(*) FROM {_ENTRIES})"
    num_rows, num_entries = _one(database, counts)
    return int(num_rows), int(num_entries)


def _counted(database: Database, where: Where) -> tuple[int, int]:
    if not where.conditions:
        return totals(database)
    if where.only_entries:
        return _sums(database, where, f"{_ENTRIES} e", "e.num_rows", where.text)
    told = where.of_rows
    if told is None:
        each = f"SELECT count(r.entry) AS many FROM {joined(where)} WHERE {where.text} GROUP BY e.n"
        return _sums(database, where, f"({each}) AS counted", "many", "1 = 1")
    # Rows by themselves are read in half the time; entries without any are then counted apart.
    each = f"SELECT count(*) AS many FROM {_ROWS} r WHERE {told} GROUP BY r.entry"
    num_rows, num_entries = _sums(database, where, f"({each}) AS counted", "many", "1 = 1")
    if where.needs_rows:
        return num_rows, num_entries
    if not database.rows(f"SELECT 1 FROM {_ENTRIES} WHERE num_rows = 0 LIMIT 1"):
        return num_rows, num_entries
    bare = f"e.num_rows = 0 AND {where.without}"
    return num_rows, num_entries + _sums(database, where, f"{_ENTRIES} e", "0", bare)[1]


def _sums(database: Database, where: Where, tables: str, many: str, text: str) -> tuple[int, int]:
    statement = f"SELECT sum({many}), count(*) FROM {tables} WHERE {text}"
    num_rows, num_entries = _one(database, statement, where.bound)
    return int(num_rows or 0), int(num_entries)


def _found(database: Database, first: Sequence[tuple[int, int | None]]) -> Iterator[Found]:
    for start in range(0, len(first), _STEP):
        some = first[start : start + _STEP]
        entries = listed(database, (n for n, _ in some))
        rows = _rows(database, [(n, place) for n, place in some if place is not None])
        for n, place in some:
            yield Found(entry=entries[n], row=None if place is None else rows[n, place])


def listed(database: Database, numbers: Iterable[int]) -> dict[int, Listed]:
    """Entries by their numbers."""
    some = ", ".join(map(str, dict.fromkeys(numbers)))
    columns = ", ".join(f"e.{name}" for name in _LISTED)
    statement = f"SELECT e.n, {columns} FROM {_ENTRIES} e WHERE e.n IN ({some})"
    by = _superseding(database, some)
    return {
        n: Listed(
            short=short_of(database, told[0]),
            superseded=n in by,
            superseded_by=tuple(by.get(n, ())),
            **dict(zip(_LISTED, told, strict=True)),
        )
        for n, *told in database.rows(statement)
    }


def _superseding(database: Database, some: str) -> dict[int, list[str]]:
    """The ids of the entries that supersede those of some numbers, each once, the oldest first."""
    statement = (
        f"SELECT DISTINCT l.replaced, e.day, e.id FROM {table('links')} l"
        f" JOIN {_ENTRIES} e ON e.n = l.entry WHERE l.replaced IN ({some}) ORDER BY e.day, e.id"
    )
    found: dict[int, list[str]] = {}
    for n, _, id in database.rows(statement):
        found.setdefault(n, []).append(id)
    return found


def short_of(database: Database, id: str) -> str:
    """The beginning of an id that no other entry's id has."""
    before = f"SELECT max(id) FROM {_ENTRIES} WHERE id < :id"
    behind = f"SELECT min(id) FROM {_ENTRIES} WHERE id > :id"
    beside = _one(database, f"SELECT ({before}), ({behind})", {"id": id})
    shared = max((_shared(id, other) for other in beside if other), default=0)
    short = id[: max(shared + 1, _SHORTEST)]
    return id[: len(short) + 1] if short.endswith("-") else short


def _shared(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))


def _rows(database: Database, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Row]:
    if not places:
        return {}
    some = ", ".join(f"({n}, {place})" for n, place in places)
    columns = ", ".join(("entry", "place", "amount", "pointer", *WORD_COLUMNS))
    both = "r.entry = v.column1 AND r.place = v.column2"
    from_ = f"(VALUES {some}) AS v {database.in_order} {_ROWS} r ON {both}"
    statement = f"SELECT {columns} FROM {from_}"
    told = database.rows(statement)
    texts = _texts(database, {n for each in told for n in each[4:] if n is not None})
    return {
        (n, place): Row(
            amount=amount,
            place=pointer,
            **{name: texts.get(word, "") for name, word in zip(WORDS, words, strict=True)},
        )
        for n, place, amount, pointer, *words in told
    }


def _texts(database: Database, numbers: Iterable[int]) -> dict[int, str]:
    some = ", ".join(map(str, numbers)) or "-1"
    return dict(database.rows(f"SELECT n, text FROM {_WORDS} WHERE n IN ({some})"))


def _looked(database: Database, where: Where) -> Iterator[Looked]:
    """What each thing that was asked for finds by itself: where nothing was found, that is what helps."""
    for each in where.conditions:
        near = _near(database, each) if each.nothing and each.option in WORDS else ()
        entries = 0 if each.nothing else _counted(database, where.alone(each))[1]
        said = f"{_TOLD.get(each.option, each.option.replace('_', ' '))} {each.asked}".strip()
        yield Looked(asked=said, entries=entries, near=near)


_TOLD = {"words": "", "min": "at least", "max": "at most"}


def _near(database: Database, condition: Condition) -> tuple[str, ...]:
    from difflib import get_close_matches

    statement = f"SELECT folded, text FROM {_WORDS} WHERE kind = :kind ORDER BY n LIMIT 5000"
    known = dict(database.rows(statement, {"kind": condition.option}))
    asked = folded(condition.asked.strip("'"))
    near = get_close_matches(asked, known, n=_NEAR, cutoff=0.4)
    return tuple(known[each] for each in near)


def listing(database: Database, kinds: Sequence[str], limit: int) -> Listing:
    """Entries, the newest first, and how many there are of each kind."""
    with database.reading():
        places = {f"k{place}": kind for place, kind in enumerate(kinds)}
        among = f"WHERE kind IN ({', '.join(f':{name}' for name in places)})" if kinds else ""
        bound: dict[str, object] = {**places, "limit": limit}
        most = " LIMIT :limit" if limit else ""
        order = f"ORDER BY day DESC, id DESC{most}"
        numbers = [n for (n,) in database.rows(f"SELECT n FROM {_ENTRIES} {among} {order}", bound)]
        counted = database.rows(
            f"SELECT kind, count(*) FROM {_ENTRIES} GROUP BY kind ORDER BY kind"
        )
        ((unread,),) = database.rows(f"SELECT count(*) FROM {table('pending')}")
        entries: list[Listed] = []
        for start in range(0, len(numbers), _STEP):
            some = numbers[start : start + _STEP]
            known = listed(database, some)
            entries += [known[n] for n in some]
        return Listing(entries=tuple(entries), kinds=dict(counted), unread=unread)
