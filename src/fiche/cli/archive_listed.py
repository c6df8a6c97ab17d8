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
from fiche.cli.terminal import clean, paragraph, put_json, put_text, table, width
from fiche.cli.usage import unknown
from fiche.kernel.diagnostic import Diagnostic, Refused

FORMAT = "fiche-archive-list/1"
_SHOWN = 20
_HEADER = ("entry", "date", "kind", "title", "rows", "files", "marks")
# What the other columns take: the title has the rest of the line.
_BESIDE = 62
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
    lines = [line[:full] for line in lines]
    text = (
        table(lines, header=_HEADER[:full], right=(4, 5), whole=(0, 1, 2)) + "\n" if lines else ""
    )
    if not all(one.date for one in listing.entries):
        text += "+ added that day: no date is told\n\n"
    return text + paragraph(f"{count(total, 'entry')} in {clean(where)}{more}{left}")


def _cells(one: Listed) -> tuple[str, ...]:
    """One line an entry: a title that is longer than the line is cut, and whole in `--json`."""
    title, most = said(one.title), max(width() - _BESIDE, _SHORTEST)
    marks = ["superseded"] * one.superseded + [one.confidentiality] * bool(one.confidentiality)
    return (
        one.short,
        said(one.date[:10]) if one.date else f"+{said(one.added[:10])}",
        one.kind,
        title if len(title) <= most else f"{title[: most - 1]}…",
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
