"""The tables of an export: entries, their rows and their files, as columns that a query can join by entry.

Every text stands as the archive has it; an empty one is what is not told. Beside a text that is a day, a moment
or a number stands the typed value, where it is one exactly; nothing is rounded to fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

from fiche.archive.entry import Entry, Kept, Row
from fiche.kernel.record import field_names, record

FORMAT = "fiche-archive-table/2"
# A decimal of 128 bits: so many digits, of which so many stand behind the point.
DIGITS, PLACES = 38, 12


@record(kw_only=False)
class Column:
    """A column: `kind` is string, strings, texts (a map), integer, decimal, day or moment."""

    name: str
    kind: str
    about: str


def _text(name: str, about: str) -> Column:
    return Column(name, "string", about)


ENTRIES = (
    _text("entry", "id of the entry: a UUID made of its kind and its files"),
    _text("kind", "record, piece, fiche, catalog, policy or decision"),
    _text("title", "what it is called"),
    _text("date", "the day that the content tells, as it tells it"),
    Column("day", "day", "the same as a day, where it is one"),
    _text("added", "when it was added to an archive (UTC)"),
    Column("added_at", "moment", "the same as a moment"),
    _text("main_path", "path of the file that it is named by"),
    _text("content_format", "format of the content"),
    _text("own_id", "the id that the content gives itself: of a fiche, a decision, a series"),
    _text("identifier", "the persistent identifier that the content gives itself"),
    _text("author", "author, as the content says"),
    _text("tool_version", "program that wrote it, with its version"),
    Column("supersedes", "strings", "ids of the entries that it replaces, as named at the adding"),
    Column("stated_supersedes", "strings", "what the content itself says that it replaces"),
    _text("keep_until", "last day of its retention"),
    Column("keep_until_day", "day", "the same as a day, where it is one"),
    _text("confidentiality", "public, internal or confidential; empty where nobody said it"),
    _text("rights", "who may do what with it, in the words of whoever added it"),
    _text("source", "where it came from"),
    Column("labels", "texts", "labels and their values"),
    Column("num_rows", "integer", "how many rows it has"),
    Column("num_files", "integer", "how many files it has"),
    Column("num_bytes", "integer", "length of its files together, in bytes"),
)
_ROW_TEXTS: Mapping[str, str] = {
    "model": "model, as the source names it",
    "revision": "revision of the model",
    "card": "card, as the source names it",
    "machine": "machine",
    "engine": "engine",
    "engine_version": "its version",
    "operation": "training, adaptation or generation",
    "case": "case of the fiche, or task",
    "candidate": "candidate of a decision, or offer",
    "device": "which of several devices",
    "phase": "phase; whole_loop is the un-phased loop",
    "which_pass": "first, or later: a later pass finds memory as the one before left it",
    "quantity": "what was read: counter and statistic, or what a decision compared",
    "unit": "unit of the amount: B for bytes, s for seconds",
    "origin": "observed, computed, assumed or declared",
    "outcome": "of a decision admissible, to confirm, exclude; of a run passed, failed, unknown",
    "place": "where it stands in the file: a JSON pointer, a line",
}
ROWS = (
    _text("entry", "id of the entry"),
    Column("row_number", "integer", "number of the row in its entry, from 1"),
    *(
        _text(name, _ROW_TEXTS[name])
        for name in field_names(Row())
        if name not in ("amount", "unit", "origin", "outcome", "place")
    ),
    _text("amount", "the number, exactly, as a decimal; empty where there is none"),
    Column("amount_decimal", "decimal", f"the same number, where {DIGITS} digits hold it exactly"),
    *(_text(name, _ROW_TEXTS[name]) for name in ("unit", "origin", "outcome", "place")),
)
FILES = (
    _text("entry", "id of the entry"),
    _text("path", "path in the entry's bag, below data/"),
    _text("name", "what it was called where it came from"),
    _text("path_in_export", "path in this export; empty where no file was copied"),
    Column("num_bytes", "integer", "length in bytes"),
    _text("sha256", "digest"),
    _text("media_type", "media type"),
)
TABLES: Mapping[str, tuple[Column, ...]] = {"entries": ENTRIES, "rows": ROWS, "files": FILES}
Line = tuple[object, ...]
# Where the copy of a file lies in the export; empty where none was made.
Place = Callable[[str, str], str]


def lines(entry: Entry, place: Place) -> Iterator[tuple[str, Line]]:
    """What each table says of an entry, with the name of the table."""
    yield "entries", _entry(entry)
    for number, row in enumerate(entry.rows, 1):
        yield "rows", _row(entry.id, number, row)
    for one in entry.files:
        yield "files", _file(entry.id, one, place)


def _entry(entry: Entry) -> Line:
    told = {
        "entry": entry.id,
        "main_path": entry.main,
        "content_format": entry.format,
        "day": day_of(entry.date),
        "added_at": moment_of(entry.added),
        "keep_until_day": day_of(entry.keep_until),
        "num_rows": len(entry.rows),
        "num_files": len(entry.files),
        "num_bytes": sum(one.num_bytes for one in entry.files),
    }
    return tuple(
        told[each.name] if each.name in told else getattr(entry, each.name) for each in ENTRIES
    )


def _row(entry: str, number: int, row: Row) -> Line:
    told = {"entry": entry, "row_number": number, "amount_decimal": decimal_of(row.amount)}
    return tuple(told[c.name] if c.name in told else getattr(row, c.name) for c in ROWS)


def _file(entry: str, one: Kept, place: Place) -> Line:
    name = one.name or one.path
    where = place(entry, one.path)
    return entry, one.path, name, where, one.num_bytes, one.sha256, one.media_type


def day_of(text: str) -> date | None:
    """The day that a text is, None where it is none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def moment_of(text: str) -> datetime | None:
    """The moment that a text is, in UTC; None where it is none."""
    try:
        told = datetime.fromisoformat(text)
    except ValueError:
        return None
    return told.astimezone(UTC) if told.tzinfo is not None else None


def decimal_of(text: str) -> Decimal | None:
    """The number as a decimal of `DIGITS` digits, None where that does not hold it exactly."""
    if not text:
        return None
    told = Decimal(text)
    _, digits, exponent = told.as_tuple()
    assert isinstance(exponent, int)
    fits = -exponent <= PLACES and len(digits) + max(exponent, -len(digits)) <= DIGITS - PLACES
    return told if fits else None
