"""The entries of an archive as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fiche.archive.entry import KINDS
from fiche.archive.index_found import Listed, Listing
from fiche.cli.archive_asked import limited
from fiche.cli.archive_indexed import indexed, say
from fiche.cli.archive_options import opened
from fiche.cli.archive_search_text import count, entry_json, said
from fiche.cli.terminal import cells, clean, paragraph, put_json, put_text, table, width
from fiche.cli.usage import unknown
from fiche.kernel.diagnostic import Diagnostic, Refused

FORMAT = "fiche-archive-list/1"
_SHOWN = 20
_HEADER = ("entry", "date", "kind", "title", "rows", "files", "marks")
_TITLE = 3
# The title has what the other columns leave of the line, and never less than this.
_SHORTEST = 24


def list_entries(
    kinds: Sequence[str],
    limit: str | None,
    archive: str | None,
    index: str | None,
    *,
    as_json: bool,
) -> None:
    """Print the newest entries.

    Raises:
        Refused: F701, F954 an option cannot be read; what keeps the archive or its index from answering.
    """
    wrong: list[Diagnostic] = [
        unknown("kind", kind[:60], KINDS) for kind in kinds if kind not in KINDS
    ]
    shown = limited(limit, _SHOWN, wrong)
    if wrong:
        raise Refused(wrong)
    store = opened(archive)
    found = indexed(store, index)
    listing = found.listing(kinds, shown)
    say(found)
    if as_json:
        put_json(_json(listing, store.where, kinds))
    else:
        put_text(_text(listing, store.where, kinds))


def _text(listing: Listing, where: str, kinds: Sequence[str]) -> str:
    told = {kind: number for kind, number in listing.kinds.items() if not kinds or kind in kinds}
    total = sum(told.values())
    each = ", ".join(count(number, kind) for kind, number in told.items())
    more = f": {each}" if each else ""
    left = (
        ""
        if len(listing.entries) == total
        else f". Shown: the newest {len(listing.entries)}; --limit 0 shows all"
    )
    lines = [_cells(one) for one in listing.entries]
    full = len(_HEADER) if any(line[-1] for line in lines) else len(_HEADER) - 1
    lines = _fitted([line[:full] for line in lines], _HEADER[:full])
    text = (
        table(lines, header=_HEADER[:full], right=(4, 5), whole=(0, 1, 2, _TITLE)) + "\n"
        if lines
        else ""
    )
    if not all(one.date for one in listing.entries):
        text += "+ added that day: no date is told\n\n"
    return text + paragraph(f"{count(total, 'entry')} in {clean(where)}{more}{left}")


def _fitted(lines: Sequence[tuple[str, ...]], header: Sequence[str]) -> list[tuple[str, ...]]:
    """One line an entry: a title that is longer than the line is cut, and whole in `--json`."""
    widest = (max(map(cells, column)) for column in zip(header, *lines, strict=True))
    beside = sum(2 + one for place, one in enumerate(widest) if place != _TITLE)
    most = max(width() - beside, _SHORTEST)
    return [(*line[:_TITLE], _cut(line[_TITLE], most), *line[_TITLE + 1 :]) for line in lines]


def _cut(title: str, most: int) -> str:
    if cells(title) <= most:
        return title
    while cells(title) >= most:
        title = title[:-1]
    return f"{title.rstrip()}…"


def _cells(one: Listed) -> tuple[str, ...]:
    marks = ["superseded"] * one.superseded + [one.confidentiality] * bool(one.confidentiality)
    return (
        one.short,
        said(one.date[:10]) if one.date else f"+{said(one.added[:10])}",
        one.kind,
        said(one.title),
        str(one.num_rows),
        str(one.num_files),
        ", ".join(marks),
    )


def _json(listing: Listing, where: str, kinds: Sequence[str]) -> dict[str, Any]:
    told = {kind: number for kind, number in listing.kinds.items() if not kinds or kind in kinds}
    return {
        "format": FORMAT,
        "archive": where,
        "num_entries": sum(told.values()),
        "kinds": told,
        "unread": listing.unread,
        "entries": [entry_json(one) for one in listing.entries],
    }
