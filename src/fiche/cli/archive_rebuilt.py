"""Making the index of an archive, and how far that is, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from fiche.archive.index_found import Statement
from fiche.cli.archive_indexed import reached, say
from fiche.cli.archive_links_text import statement_json, statement_text
from fiche.cli.archive_options import opened
from fiche.cli.archive_search_text import count
from fiche.cli.streams import write_error
from fiche.cli.terminal import clean, paragraph, put_json, put_text

FORMAT = "fiche-archive-indexed/1"
_EVERY = 1000
_MOST = 20


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
    lost = found.leading_nowhere()
    if as_json:
        put_json(
            {
                "format": FORMAT,
                "archive": store.where,
                "index": found.where,
                "entries": entries,
                "rows": rows,
                "unread": unread,
                "leading_nowhere": [{"id": one.entry, **statement_json(one)} for one in lost],
            }
        )
    else:
        made = "made anew" if rebuild else "up to date"
        counts = f"{count(entries, 'entry')} with {count(rows, 'row')}"
        put_text(paragraph(f"{clean(found.where)}: {made}, {counts}") + _lost(lost))


def _lost(lost: Sequence[Statement]) -> str:
    """What is said to be superseded and is none of the entries, the first of it."""
    lines = [f"{one.entry} supersedes {statement_text(one)}" for one in lost[:_MOST]]
    if len(lost) > _MOST:
        lines.append(f"… and {len(lost) - _MOST} more: --json has all")
    return "".join(paragraph(line, indent="  ") for line in lines)


def _progress(number: int) -> None:
    if number % _EVERY == 0:
        write_error(f"\r{number} bags read")
