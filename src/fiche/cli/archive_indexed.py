"""The index of an archive as commands use it: found, brought up to date, and what was done said on the side."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

from fiche.archive.index import Index
from fiche.archive.index_place import is_server, own_file
from fiche.archive.refusals import refused
from fiche.archive.store import MARKER, Store, folder_of, is_remote
from fiche.cli.terminal import put_message

VARIABLE = "FICHE_ARCHIVE_INDEX"
# Instead of an address: whatever fiche-archive.json names.
_NAMED_THERE = "archive"
_UNUSED = (
    f"{MARKER} names an index, which is not used: whoever wrote that may lead anywhere; "
    f"--index {_NAMED_THERE} follows it"
)


def reached(store: Store, index: str | None) -> Index:
    """The index by the option or the variable, or else the archive's own file.

    An archive may be handed over by anybody, so the address in it is followed only where that is asked for:
    else it would lead a reader, and the passwords that libpq knows, to a server of its choice.

    Raises:
        Refused: F950, F952, F953 it cannot be used.
    """
    named, there = index or os.environ.get(VARIABLE, ""), _said(store)
    url = _server(there) if named == _NAMED_THERE and there else named
    found = Index.opened(str(own_file(store)) if url in ("", _NAMED_THERE) else url, aliases)
    if there and not named:
        found.notes.append(_UNUSED)
    return found


def _server(url: str) -> str:
    """The address that an archive names: of a server, never of a file here."""
    if is_server(url):
        return url
    hint = f"name it yourself: --index FILE, or a server's address in {MARKER}"
    raise refused("F953", f"{MARKER} names an index that is on no server", hint)


def indexed(store: Store, index: str | None) -> Index:
    """The same, up to date with the archive.

    Raises:
        Refused: F950, F952, F953 it cannot be used; F951 it is of another archive.
    """
    found = reached(store, index)
    found.catch_up(store)
    say(found)
    return found


def say(index: Index) -> None:
    """Say on standard error what was done to an index unasked, and what could not be read."""
    for note in index.notes:
        put_message(note)
    index.notes.clear()
    unread = index.unread()
    if unread:
        bags = "1 bag is" if unread == 1 else f"{unread} bags are"
        put_message(f"{bags} missing or damaged, and left out: fiche archive check says which")


def _said(store: Store) -> str:
    """What `fiche-archive.json` names, for all who use the archive."""
    if is_remote(store.where):
        return ""
    try:
        told = json.loads((folder_of(store.where) / MARKER).read_bytes())
    except (OSError, ValueError):
        return ""
    named = told.get("index", "") if isinstance(told, dict) else ""
    return named if isinstance(named, str) else ""


def aliases(kind: str, text: str) -> Iterable[str]:
    """Other names of a card: its id in the catalog, and what it is called and prints."""
    if kind != "card":
        return
    from fiche.cli.attach_cards import cards_printing
    from fiche.load.catalog import builtin_catalog

    cards = builtin_catalog().cards
    known = cards.get(text)
    found = cards_printing(text, cards.values()) if known is None else (known,)
    if len(found) == 1:  # a name that several cards print is none of them
        yield from dict.fromkeys((found[0].id, found[0].name, *found[0].names_printed))
