"""What a search found, on a terminal, as JSON and as CSV. No number stands without its unit and its origin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from fiche.archive.entry import Row
from fiche.archive.index_amount import amount_key
from fiche.archive.index_found import Answer, Found, Listed, Looked
from fiche.cli.terminal import cells, clean, paragraph, table, width
from fiche.kernel.record import field_names
from fiche.render.visible import visible
from fiche.report.numbers import exact, memory

FORMAT = "fiche-archive-search/1"
_NO_BREAK = "\N{NO-BREAK SPACE}"
_LONGEST = 200
_LARGE = 2**20
_INDENT = " " * 6
# What goes on of an entry's first line stands clear of the ids and of what is told below.
_UNDER_ID = " " * 10


def search_text(answer: Answer, where: str) -> str:
    """Entries with the rows that were found in them, then the counts."""
    if not answer.found:
        return "".join(_nothing(answer, where))
    text = ""
    for _, rows in groupby(answer.found, key=lambda one: one.entry.id):
        text += "".join(_entry(list(rows))) + "\n"
    return text + paragraph(_counted(answer, where))


def _entry(found: Sequence[Found]) -> Iterator[str]:
    """The entry in a line, then for each load and card its rows."""
    entry = found[0].entry
    yield paragraph(
        f"{entry.short}  {dated(entry)}  {entry.kind}  {said(entry.title)}{_marks(entry)}",
        hanging=_UNDER_ID,
    )
    for told, rows in groupby((one.row for one in found if one.row is not None), key=about):
        if told:
            yield paragraph(told, indent="  ")
        yield rows_table(list(rows))


def rows_table(rows: Sequence[Row]) -> str:
    """What rows of one load on one card state, under the case, phase and outcome that they share."""
    return "".join(_under(told, list(some)) for told, some in groupby(rows, key=_what))


def _what(row: Row) -> str:
    which = f"{row.which_pass} pass" if row.which_pass else ""
    parts = (row.candidate, row.case, row.phase, which, row.device)
    what = ", ".join(said(each) for each in parts if each)
    return ": ".join(filter(None, (what, said(row.outcome))))


def _under(told: str, rows: Sequence[Row]) -> str:
    alone = len(rows) == 1 and not (rows[0].quantity or rows[0].amount)
    if alone:
        return paragraph(f"{told}  {said(rows[0].place)}", indent="    ") if told else ""
    head = paragraph(told, indent="    ") if told else ""
    return head + _placed([(said(row.quantity), amount(row), _origin(row)) for row in rows], rows)


def _placed(lines: Sequence[tuple[str, ...]], rows: Sequence[Row]) -> str:
    """The rows with the place of each: beside it where a line has room for it, else below it."""
    places = [said(row.place) for row in rows]
    text = table(lines, right=(1,), whole=(0, 1, 2), indent=_INDENT)
    drawn = text.splitlines()
    widest = max(map(cells, drawn)) + 2 + max(map(cells, places))
    if widest <= width() or len(drawn) != len(rows):
        with_place = [(*line, place) for line, place in zip(lines, places, strict=True)]
        return table(with_place, right=(1,), whole=(0, 1, 2), indent=_INDENT)
    below = [paragraph(place, indent=f"{_INDENT}  ") if place else "" for place in places]
    return "".join(f"{line}\n{place}" for line, place in zip(drawn, below, strict=True))


def _origin(row: Row) -> str:
    return said(row.origin) or ("origin not told" if row.amount else "")


def about(row: Row) -> str:
    """What ran on which card, by which program, where."""
    model = f"{row.model} ({row.revision[:12]})" if row.revision else row.model
    on = f"on {row.card}" if row.card else ""
    engine = f"{row.engine} {row.engine_version}".strip()
    told = (" ".join(filter(None, (model, on))), engine, row.operation, row.machine)
    return ", ".join(said(each) for each in told if each)


def amount(row: Row) -> str:
    """The amount with its unit; of memory in GiB beside the bytes, since one of them is read."""
    if not row.amount:
        return ""
    unit = f"{_NO_BREAK}{said(row.unit)}" if row.unit else ""
    if not amount_key(row.amount):
        return said(row.amount) + unit
    value = Fraction(row.amount)
    printed = exact(value).replace(" ", _NO_BREAK)
    more = (
        f" ({memory(value)})".replace(" ", _NO_BREAK) if row.unit == "B" and value >= _LARGE else ""
    )
    return f"{printed}{unit}{more}"


def said(text: str) -> str:
    """A text of somebody else in one line, nothing hidden in it, cut where nobody reads on."""
    shown = visible(text)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def dated(entry: Listed) -> str:
    """The day that the content tells; else that of adding, and that it is this."""
    return said(entry.date) if entry.date else f"added {said(entry.added[:10])}"


def _marks(entry: Listed) -> str:
    marks = ["superseded"] * entry.superseded
    marks += [entry.confidentiality] * (entry.confidentiality == "confidential")
    return f"  [{', '.join(marks)}]" if marks else ""


def count(number: int, noun: str) -> str:
    """`1 row`, `12 rows`, `3 entries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{exact(number)} {noun if number == 1 else plural}"


def _counted(answer: Answer, where: str) -> str:
    told = f"{count(answer.num_rows, 'row')} in {count(answer.num_entries, 'entry')}"
    left = short_of_all(answer)
    looked = f"of {count(answer.all_entries, 'entry')} in {clean(where)}"
    return f"{told}, {looked}{_undated(answer)}" + (f". {left}" if left else "")


def short_of_all(answer: Answer) -> str:
    """How many rows are not shown, and how they are; nothing where all are."""
    # An entry without rows is shown as one line, and counts as none.
    shown = sum(one.row is not None for one in answer.found)
    if (
        shown == answer.num_rows
        and len({one.entry.id for one in answer.found}) == answer.num_entries
    ):
        return ""
    what = "row" if shown == len(answer.found) else "line"
    most = what if len(answer.found) == 1 else count(len(answer.found), what)
    return f"Shown: the first {most}; --limit 0 shows all"


def _undated(answer: Answer) -> str:
    if not answer.undated:
        return ""
    told = "tells no date and is" if answer.undated == 1 else "tell no date and are"
    return f"; {count(answer.undated, 'entry')} {told} left out"


def _nothing(answer: Answer, where: str) -> Iterator[str]:
    """That nothing was found, among how many, and what each thing that was asked for finds by itself."""
    looked = f"{count(answer.all_entries, 'entry')} with {count(answer.all_rows, 'row')}"
    yield paragraph(f"nothing found: looked through {looked} in {clean(where)}{_undated(answer)}")
    for one in answer.looked:
        yield paragraph(f"{said(one.asked)} alone: {_alone(one)}", indent="  ")


def _alone(one: Looked) -> str:
    if one.entries:
        return count(one.entries, "entry")
    near = f"; there are {', '.join(said(each) for each in one.near)}" if one.near else ""
    return f"none{near}"


def search_json(answer: Answer, where: str) -> dict[str, Any]:
    """The same, of the format `fiche-archive-search/1`."""
    return {
        "format": FORMAT,
        "archive": where,
        "num_rows": answer.num_rows,
        "num_entries": answer.num_entries,
        "looked_through": {
            "entries": answer.all_entries,
            "rows": answer.all_rows,
            "undated": answer.undated,
        },
        "found": [_json(one) for one in answer.found],
        **({"asked": [_asked_json(one) for one in answer.looked]} if answer.looked else {}),
    }


def _asked_json(one: Looked) -> dict[str, Any]:
    return {"asked": one.asked, "entries": one.entries, "near": list(one.near)}


def _json(one: Found) -> dict[str, Any]:
    told = {"entry": entry_json(one.entry)}
    return told if one.row is None else {**told, "row": _row_json(one.row)}


def _row_json(row: Row) -> dict[str, str]:
    return {name: text for name in field_names(row) if (text := getattr(row, name))}


def entry_json(entry: Listed) -> dict[str, Any]:
    """An entry of a listing: what it does not say is absent."""
    told = {name: getattr(entry, name) for name in field_names(entry)}
    told["superseded_by"] = list(entry.superseded_by)
    return {name: value for name, value in told.items() if value not in ("", [])}


def search_csv(answer: Answer) -> bytes:
    """A line a row: the entry's id, date, kind and title, then all that the row says."""
    from fiche.render.csv import line

    own = ("id", "date", "kind", "title")
    names = field_names(Row())
    lines = [
        (*(getattr(one.entry, name) for name in own), *(getattr(row, name) for name in names))
        for one in answer.found
        for row in (one.row or Row(),)
    ]
    return "".join(map(line, (("entry", *own[1:], *names), *lines))).encode("utf-8")
