"""Making the index of an archive, and how far that is, on a terminal."""

from __future__ import annotations

import sys

from fiche.cli.archive_indexed import reached, say
from fiche.cli.archive_options import opened
from fiche.cli.archive_search_text import count
from fiche.cli.streams import write_error
from fiche.cli.terminal import clean, paragraph, put_json, put_text

FORMAT = "fiche-archive-indexed/1"
_EVERY = 1000


def bring_up_to_date(
    archive: str | None, index: str | None, *, rebuild: bool, as_json: bool
) -> None:
    """Bring the index up to date, or make it anew.

    Raises:
        Refused: what keeps the archive or its index from answering.
    """
    store = opened(archive)
    found = reached(store, index)
    found.told = _progress if sys.stderr.isatty() else None
    if rebuild:
        found.rebuilt(store)
    else:
        found.catch_up(store)
    if found.told is not None:
        write_error("\r\x1b[K")
    unread = found.unread()
    say(found)
    entries, rows = found.totals()
    if as_json:
        told = {"entries": entries, "rows": rows, "unread": unread}
        put_json({"format": FORMAT, "archive": store.where, "index": found.where, **told})
    else:
        made = "made anew" if rebuild else "up to date"
        counts = f"{count(entries, 'entry')} with {count(rows, 'row')}"
        put_text(paragraph(f"{clean(found.where)}: {made}, {counts}"))


def _progress(number: int) -> None:
    if number % _EVERY == 0:
        write_error(f"\r{number} bags read")
