"""Which entry supersedes which: what entries say of it, held against what entries are called.

An entry is named by its id, by the id that its fiche has, by a persistent identifier, or by the digest of its
fiche or its decision. What names one thing in several entries (a fiche, its decision as page and as PDF) means
all of them; what names several things means none, since nobody says which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fiche.archive.index_bound import marked, steps
from fiche.archive.index_columns import table
from fiche.archive.index_database import Database
from fiche.archive.index_found import Statement
from fiche.archive.index_lines import NAMED_KINDS, as_named

_ENTRIES, _NAMES = table("entries"), table("names")
_SAID, _LINKS = table("supersedes"), table("links")
_NEW = "n > :last"


class _Entry:
    """An entry as far as links go: `thing` is what several entries may be of."""

    __slots__ = ("id", "n", "thing")

    def __init__(self, n: int, id: str, kind: str, own_id: str) -> None:
        self.n, self.id = n, id
        self.thing = as_named(own_id) if kind in NAMED_KINDS and own_id else id


_Named = Mapping[str, Sequence[_Entry]]


def link(database: Database, last: int = 0) -> None:
    """Link what is said of the entries behind a number, by them or of them; of all, where it is 0."""
    lines = _said(database, last)
    called = _called(database, {told for *_, told in lines})
    alike = _alike(database, {one.thing for some in called.values() for one in some})
    for entry, place, _ in lines if last else ():
        bound = {"entry": entry.n, "place": place}
        database.rows(f"DELETE FROM {_LINKS} WHERE entry = :entry AND place = :place", bound)
    database.fill(
        "links",
        [
            (entry.n, place, n)
            for entry, place, told in lines
            for n in sorted(_meant(entry, told, called.get(told, ()), alike))
        ],
    )


def _said(database: Database, last: int) -> list[tuple[_Entry, int, str]]:
    """What new entries say, and what was said before of what new entries are called, or belong to."""
    among = ""
    if last:
        ids = f"SELECT id FROM {_ENTRIES} WHERE {_NEW}"
        names = f"SELECT name FROM {_NAMES} WHERE entry > :last"
        linked = (
            f"SELECT l.entry FROM {_LINKS} l JOIN {_NAMES} m ON m.entry = l.replaced"
            f" WHERE m.name IN ({names})"
        )
        among = (
            f" WHERE s.entry > :last OR s.told IN ({ids}) OR s.told IN ({names})"
            f" OR s.entry IN ({linked})"
        )
    statement = (
        f"SELECT e.n, e.id, e.kind, e.own_id, s.place, s.told FROM {_SAID} s"
        f" JOIN {_ENTRIES} e ON e.n = s.entry{among} ORDER BY s.entry, s.place"
    )
    found = database.rows(statement, {"last": last} if last else {})
    return [(_Entry(*about), place, told) for *about, place, told in found]


def _called(database: Database, names: Iterable[str]) -> dict[str, list[_Entry]]:
    """The entries that are called so, by their id or otherwise."""
    found: dict[str, list[_Entry]] = {}
    for some in steps(sorted(names)):
        marks, bound = marked(some)
        ids = f"SELECT id, n, id, kind, own_id FROM {_ENTRIES} WHERE id IN ({marks})"
        others = (
            f"SELECT m.name, e.n, e.id, e.kind, e.own_id FROM {_NAMES} m"
            f" JOIN {_ENTRIES} e ON e.n = m.entry WHERE m.name IN ({marks})"
        )
        for statement in (ids, others):
            for name, *about in database.rows(statement, bound):
                found.setdefault(name, []).append(_Entry(*about))
    return found


def _alike(database: Database, things: Iterable[str]) -> dict[str, set[int]]:
    """The numbers of all entries of each thing."""
    found: dict[str, set[int]] = {}
    for some in _called(database, things).values():
        for one in some:
            found.setdefault(one.thing, set()).add(one.n)
    return found


def _meant(
    entry: _Entry, told: str, called: Sequence[_Entry], alike: Mapping[str, set[int]]
) -> set[int]:
    exact = {one.n for one in called if one.id == told}
    if exact:
        return exact - {entry.n}
    others = _others(entry, called)
    if len({one.thing for one in others}) != 1:
        return set()
    return {one.n for one in others} | alike.get(others[0].thing, set())


def _others(entry: _Entry, called: Iterable[_Entry]) -> list[_Entry]:
    """Without the entry itself, and without the same decision in another form."""
    return [one for one in called if one.n != entry.n and one.thing != entry.thing]


def statements(database: Database, id: str) -> tuple[Statement, ...]:
    """What an entry says that it supersedes, and the entries that it means."""
    return tuple(_read(database, " WHERE e.id = :id", {"id": id}))


def leading_nowhere(database: Database) -> tuple[Statement, ...]:
    """What is said in the whole archive, and leads to no entry of it."""
    where = (
        f" WHERE NOT EXISTS (SELECT 1 FROM {_LINKS} l"
        " WHERE l.entry = s.entry AND l.place = s.place)"
    )
    return tuple(one for one in _read(database, where, {}) if one.why)


def _read(database: Database, where: str, bound: Mapping[str, object]) -> Iterator[Statement]:
    statement = (
        f"SELECT e.n, e.id, e.kind, e.own_id, s.place, s.told FROM {_SAID} s"
        f" JOIN {_ENTRIES} e ON e.n = s.entry{where} ORDER BY e.id, s.place"
    )
    lines = [(_Entry(*each[:4]), each[4], each[5]) for each in database.rows(statement, bound)]
    called = _called(database, {told for *_, told in lines})
    for entry, place, told in lines:
        ids = (
            f"SELECT e.id FROM {_LINKS} l JOIN {_ENTRIES} e ON e.n = l.replaced"
            " WHERE l.entry = :entry AND l.place = :place ORDER BY e.id"
        )
        found = database.rows(ids, {"entry": entry.n, "place": place})
        linked = tuple(one for (one,) in found)
        yield _statement(entry, told, linked, called.get(told, ()))


def _statement(
    entry: _Entry, told: str, linked: tuple[str, ...], called: Sequence[_Entry]
) -> Statement:
    if linked:
        return Statement(entry=entry.id, told=told, entries=linked)
    others = sorted({one.id for one in _others(entry, called)})
    if others:
        return Statement(entry=entry.id, told=told, why="ambiguous", candidates=tuple(others))
    return Statement(entry=entry.id, told=told, why="" if called else "unknown")
