"""The overview of an archive: counted from its index, said in a language, written with its document."""

from __future__ import annotations

import datetime
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from fiche import __version__
from fiche.archive.overview import Scope, held
from fiche.cli.archive_indexed import aliases, indexed
from fiche.cli.archive_kept_back import warn
from fiche.cli.archive_options import opened
from fiche.cli.output import exists, write_file, write_folder
from fiche.cli.reports import told
from fiche.cli.usage import together
from fiche.kernel.diagnostic import Refused
from fiche.kernel.holdings import Holdings
from fiche.kernel.record import replace
from fiche.languages import spoken
from fiche.render.attachment import attachment
from fiche.render.canonical import canonical
from fiche.render.holdings import holdings_document
from fiche.report.overview import DOCUMENT, overview

PAGE = "overview.html"


def write(
    output: Path,
    archive: str | None,
    index: str | None,
    *,
    narrowed: Mapping[str, str],
    language: str,
    date: str | None,
    kept_back: frozenset[str],
    force: bool,
    as_json: bool,
) -> None:
    """Write the page, alone or in a folder with its document, and say their digests.

    Raises:
        Refused: F610 the output is there, F611 it cannot be written, F702 the day is none, F930 to F933 and
            F950 to F953 what is wrong with the archive or its index.
    """
    if not force and (output.exists() or output.is_symlink()):
        raise Refused([exists(output)])
    spoken(language)
    day = _day(date)
    store = opened(archive)
    found = indexed(store, index)
    scope = Scope(
        archive=store.id,
        day=day,
        card_of=_card,
        narrowed=narrowed,
        kept_back=kept_back,
    )
    try:
        holdings = replace(held(found.each, scope), damaged=found.unread())
    finally:
        found.close()
    levels = Counter({"confidential": holdings.confidential, "internal": holdings.internal})
    document = canonical(holdings_document(holdings, __version__))
    page = _page(holdings, document, language)
    if output.suffix.lower() in (".html", ".htm"):
        write_file(output, page, force=force)
        warn(levels, str(output))
        told(output.parent, {output.name: page}, as_json=as_json)
    else:
        made = {PAGE: page, DOCUMENT: document}
        write_folder(output, made, force=force)
        warn(levels, str(output))
        told(output, made, as_json=as_json)


def _page(holdings: Holdings, document: bytes, language: str) -> bytes:
    from fiche.render.html import html_bytes

    words = spoken(language)
    about = words.phrases["overview_document"]
    attached = attachment(DOCUMENT, document, "application/json", about, "Alternative")
    return html_bytes(overview(holdings, __version__, words), None, (attached,))


def _day(text: str | None) -> datetime.date:
    """As of which day; an archive is looked at today, unless somebody says otherwise."""
    if text is None:
        now = time.gmtime()
        return datetime.date(now.tm_year, now.tm_mon, now.tm_mday)
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        told = together(f"--date {text!r} is no day", "write it as 2026-12-31")
        raise Refused([told]) from None


def _card(name: str) -> str:
    """The id that a card has in the catalog, where its printed name is that of one card alone."""
    return next(iter(aliases("card", name)), name) if name else ""
