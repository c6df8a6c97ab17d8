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
from fiche.report.numbers import PAGE, memory

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


_HEADER = (
    *("record", "run", "rank", "trial", "card", "empty_cache", "ordering", "outcome"),
    *("executed", "first pass, peak", "later passes, peak"),
)
# What many records share is said once, above: a table of what differs fits a terminal.
_SHARED = ("run", "card", "empty_cache", "ordering")


def records_text(told: Sequence[RecordRow]) -> str:
    """The table; a column that no record fills is left out, and one in which all agree is a line above."""
    lines = [_cells(row) for row in told]
    columns = list(zip(_HEADER, zip(*lines, strict=True), strict=True))
    alike = {
        name: cells[0]
        for name, cells in columns
        if name in _SHARED and len(lines) > 1 and len(set(cells)) == 1
    }
    own = [(name, cells) for name, cells in columns if name not in alike and any(cells)]
    shared = "; ".join(f"{name} {cell}" for name, cell in alike.items() if cell)
    text = paragraph(f"all: {shared}") + "\n" if shared else ""
    return text + table(
        list(zip(*(cells for _, cells in own), strict=True)),
        header=[name for name, _ in own],
        whole=(0,),
        right=tuple(place for place, (name, _) in enumerate(own) if name.endswith("peak")),
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
    return f"{memory(told.bytes, 'GiB' if told.bytes >= _GIB else 'MiB', PAGE)} {told.device}"


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
