"""Every entry of an index with the rows that an overview counts, some thousand entries at a time."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.archive.entry import Row
from fiche.archive.index_columns import table
from fiche.archive.index_confided import confided
from fiche.archive.index_database import Database
from fiche.archive.overview import PEAKS, Counted

_STEP = 5_000
_TEXTS = ("id", "kind", "title", "date", "added", "keep_until", "confidentiality", "own_id")
_ENTRIES, _ROWS, _WORDS = table("entries"), table("rows"), table("words")
# A quantity that is told, where only that counts.
_SOME = "told"


def each(database: Database) -> Iterator[Counted]:
    """Entries in the order in which they were entered."""
    levels = confided(database)
    words = {n: text for n, _, text in database.rows(f"SELECT n, kind, text FROM {_WORDS}")}
    peaks = [n for n, text in words.items() if text.rpartition(".")[2] in PEAKS]
    columns = ", ".join(("n", *_TEXTS, "num_files", "num_bytes"))
    statement = f"SELECT {columns} FROM {_ENTRIES} WHERE n > :last ORDER BY n LIMIT {_STEP}"
    last = -1
    while found := database.rows(statement, {"last": last}):
        ends = {"last": last, "end": found[-1][0]}
        rows = _rows(database, ends, words, peaks)
        supersedes = _supersedes(database, ends)
        for n, *texts, num_files, num_bytes in found:
            told = dict(zip(_TEXTS, texts, strict=True))
            told["confidentiality"] = levels.get(told["id"], told["confidentiality"])
            yield Counted(
                **told,
                supersedes=tuple(supersedes.get(n, ())),
                rows=tuple(rows.get(n, ())),
                num_files=num_files,
                num_bytes=num_bytes,
            )
        last = found[-1][0]


def _supersedes(database: Database, ends: dict[str, int]) -> dict[int, list[str]]:
    statement = (
        f"SELECT l.entry, e.id FROM {table('links')} l JOIN {_ENTRIES} e ON e.n = l.replaced"
        " WHERE l.entry > :last AND l.entry <= :end ORDER BY l.entry, l.place, e.id"
    )
    found: dict[int, list[str]] = {}
    for entry, id in database.rows(statement, ends):
        found.setdefault(entry, []).append(id)
    return found


def _rows(
    database: Database, ends: dict[str, int], words: dict[int, str], peaks: list[int]
) -> dict[int, list[Row]]:
    """The outcomes of each model on each card, then the peaks."""
    found: dict[int, list[Row]] = {}
    quantity = "CASE WHEN quantity_n IS NULL THEN 0 ELSE 1 END"
    statement = (
        f"SELECT DISTINCT entry, model_n, card_n, outcome_n, {quantity} FROM {_ROWS}"
        " WHERE entry > :last AND entry <= :end"
    )
    for entry, model, card, outcome, is_told in database.rows(statement, ends):
        row = Row(
            model=words.get(model, ""),
            card=words.get(card, ""),
            outcome=words.get(outcome, ""),
            quantity=_SOME if is_told else "",
        )
        found.setdefault(entry, []).append(row)
    for entry, row in _peaks(database, ends, words, peaks):
        found.setdefault(entry, []).append(row)
    return found


def _peaks(
    database: Database, ends: dict[str, int], words: dict[int, str], peaks: list[int]
) -> Iterator[tuple[int, Row]]:
    if not peaks:
        return
    some = ", ".join(map(str, peaks))
    statement = (
        f"SELECT entry, model_n, card_n, quantity_n, unit_n, origin_n, amount FROM {_ROWS}"
        f" WHERE entry > :last AND entry <= :end AND quantity_n IN ({some})"
    )
    for entry, *numbers, amount in database.rows(statement, ends):
        model, card, quantity, unit, origin = (words.get(n, "") for n in numbers)
        yield (
            entry,
            Row(
                model=model,
                card=card,
                quantity=quantity,
                unit=unit,
                origin=origin,
                amount=amount,
            ),
        )
