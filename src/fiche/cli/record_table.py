"""A folder of records on a terminal and as JSON: one line a record, nothing of two records in one figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fiche.cli.record_files import Folder, rows, with_records
from fiche.cli.terminal import paragraph, put_json, put_text, table
from fiche.importers._record_rows import Largest, RecordRow
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import field_names
from fiche.render.visible import visible
from fiche.report.numbers import memory

_GIB = 1 << 30
_UNSAID = (
    "Peaks are of the allocator's reserve, the largest of any one device, of phases that succeeded; of the "
    "un-phased loop where one ran. What a failed phase reached is no need. Records of different empty_cache "
    "policies are not compared."
)


def show_folder(folder: Path, *, json: bool) -> None:
    """Print the records below a folder.

    Raises:
        Refused: F318 there is none; and whatever is wrong with one of them, after the others.
    """
    found = with_records(folder)
    told, wrong = rows(found.files, folder)
    if told and json:
        refused = {"refused": [each.json() for each in wrong]} if wrong else {}
        put_json({"records": [_json(row) for row in told], "others": found.others, **refused})
    elif told:
        put_text("".join(_folder(folder, found, told)))
    if wrong:
        raise Refused([each.shown for each in wrong])


def _folder(folder: Path, found: Folder, told: Sequence[RecordRow]) -> Iterator[str]:
    yield paragraph(f"{visible(str(folder))}: {_count(len(told), 'record')}")
    yield "\n"
    yield records_text(told)
    yield "\n"
    left = [
        _count(found.journals, "journal") + " beside a document that says the same"
        if found.journals
        else "",
        _count(found.others, "other file") if found.others else "",
    ]
    if any(left):
        yield paragraph(f"left out: {', '.join(filter(None, left))}")
    yield paragraph(_UNSAID)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def records_text(told: Sequence[RecordRow]) -> str:
    """The table; a column that no record fills is left out."""
    header = (
        *("record", "run", "rank", "trial", "card", "empty_cache", "ordering", "outcome"),
        *("executed", "first pass, peak", "later passes, peak"),
    )
    lines = [_cells(row) for row in told]
    filled = [place for place in range(len(header)) if any(line[place] for line in lines)]
    return table(
        [[line[place] for place in filled] for line in lines],
        header=[header[place] for place in filled],
        whole=(0,),
        right=tuple(at for at, place in enumerate(filled) if place > 8),
    )


def _cells(row: RecordRow) -> tuple[str, ...]:
    rank = "" if row.rank is None else f"{row.rank} of {row.world}"
    failed = f"failure in {row.failed}" if row.failed else row.outcome
    executed = ", ".join(f"{name} {count}" for name, count in row.executed.items())
    return (
        *(visible(row.file), visible(row.run), rank, visible(row.trial), visible(row.gpu)),
        *(visible(row.empty_cache), row.ordering, failed, executed or "not told"),
        *(_peak(row.first), _peak(row.later)),
    )


def _peak(told: Largest | None) -> str:
    if told is None:
        return ""
    return f"{memory(told.bytes, 'GiB' if told.bytes >= _GIB else 'MiB')} {told.device}"


def _json(row: RecordRow) -> dict[str, object]:
    """Every field of the row, null where the record does not say it."""
    told = {name: getattr(row, name) for name in field_names(row)}
    for key in ("first", "later"):
        peak = told.pop(key)
        words = ("bytes", "device", "phase")
        told[f"reserved_peak_{key}_pass"] = (
            None if peak is None else {word: getattr(peak, word) for word in words}
        )
    told["executed"] = dict(row.executed)
    return {key: None if value == "" else value for key, value in told.items()}
