"""Where an index lies, and what is said where it is not the one that is needed."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fiche.archive.refusals import refused
from fiche.archive.store import Store, folder_of, is_remote
from fiche.kernel.diagnostic import Refused

NAME = "index.sqlite3"
_SERVER = re.compile(r"postgres(?:ql)?(?:\+[a-z0-9]+)?:", re.IGNORECASE)
_FILE = "sqlite:///"
_SAFE = re.compile(r"[^A-Za-z0-9-]")
_MOST_NAMED = 8


def is_server(url: str) -> bool:
    """True for the URL of a PostgreSQL database."""
    return _SERVER.match(url) is not None


def file_of(url: str) -> Path:
    """The file that a path or a `sqlite:///` URL means.

    Raises:
        Refused: F953 it is a URL of something else.
    """
    path = url.removeprefix(_FILE)
    if "://" in path:
        hint = "a path, or postgresql+psycopg://USER@HOST/DATABASE"
        raise refused("F953", "the index is named by no address of a database", hint)
    return Path(path)


def own_file(store: Store) -> Path:
    """Where an archive has its index: beside the bags, or in a cache folder where nothing can be written there.

    Raises:
        Refused: F950 a link is in its place, and would lead to a file of somebody else.
    """
    if not is_remote(store.where):
        path = folder_of(store.where) / NAME
        if path.is_symlink():
            hint = "remove the link, or name the file itself: --index FILE"
            raise refused("F950", f"{path}: the index cannot be used: it is a link", hint)
        if os.access(path if path.exists() else path.parent, os.W_OK) and os.access(
            path.parent, os.W_OK
        ):
            return path
    return _cache() / "archives" / _SAFE.sub("_", store.id)[:64] / NAME


def _cache() -> Path:
    told = os.environ.get("XDG_CACHE_HOME", "")
    return Path(told if Path(told).is_absolute() else Path.home() / ".cache") / "fiche"


def unfit(where: str, found: str, store: Store | None) -> Refused:
    """F951: a server's index is none, or not of this archive and format."""
    archive = "ARCHIVE" if store is None else shlex.quote(store.where)
    why = "no index that this fiche reads is there"
    if found and store is not None and found != store.id:
        why = "the index is of another archive"
        why += f", {found}" if len(found) <= 40 else ""
    hint = f"fiche archive index --rebuild --archive {archive} --index {shlex.quote(where)}"
    return refused(
        "F951", f"{where}: {why}", f"to make it there, in the place of an older one: {hint}"
    )


def ambiguous(begin: str, found: Sequence[Sequence[Any]]) -> Refused:
    """F955: several entries have ids that begin so, or call themselves so."""
    named = "; ".join(f"{id} ({kind}, {title[:40]})" for id, kind, title in found[:_MOST_NAMED])
    more = "; …" if len(found) > _MOST_NAMED else ""
    message = f"'{begin[:80]}' may be several entries: {named}{more}"
    return refused("F955", message, "write more of the id, or all of it")
