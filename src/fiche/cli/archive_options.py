"""Options that the subcommands of `fiche archive` share: which archive, and how it is opened."""

from __future__ import annotations

import os
from typing import Annotated

from fiche.archive.refusals import refused
from fiche.archive.store import Store
from fiche.cli.deferred import typer
from fiche.cli.interrupt import held, unfinished

VARIABLE = "FICHE_ARCHIVE"
Archive = Annotated[
    str | None,
    typer.Option("--archive", metavar="WHERE", help="a folder, or a URL of fsspec [FICHE_ARCHIVE]"),
]
Named = Annotated[
    str | None,
    typer.Option(
        "--index",
        metavar="URL",
        help="postgresql+psycopg://…, a file for SQLite, or archive: the one that it names "
        "[FICHE_ARCHIVE_INDEX]",
    ),
]
# What goes out: confidential entries do not, unless somebody says so.
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        metavar="LEVEL",
        help="leave these out: internal, and confidential, which always is; repeatable",
    ),
]
WithConfidential = Annotated[
    bool, typer.Option("--with-confidential", help="confidential entries too")
]
Json = Annotated[bool, typer.Option("--json", help="print one JSON object")]
# What is told of entries as they are added.
KeepUntil = Annotated[
    str | None,
    typer.Option("--keep-until", metavar="DAY", help="the day until which it must be kept"),
]
Confidentiality = Annotated[
    str | None,
    typer.Option("--confidentiality", metavar="WORD", help="public, internal or confidential"),
]
Rights = Annotated[
    str | None,
    typer.Option("--rights", metavar="TEXT", help="who may use it, and how: a licence, say"),
]
Label = Annotated[
    list[str] | None,
    typer.Option(
        "--label", metavar="NAME=TEXT", help="a word of your own to find it by; repeatable"
    ),
]


def named(archive: str | None) -> str:
    """Where the archive is, by the option or the variable.

    Raises:
        Refused: F930 nobody says.
    """
    where = archive or os.environ.get(VARIABLE, "")
    if not where:
        hint = f"name it: --archive FOLDER, or {VARIABLE}=FOLDER for all commands"
        raise refused("F930", "no archive is named", hint)
    return where


def opened(archive: str | None) -> Store:
    """The archive, which ends well when the command is asked to end.

    Raises:
        Refused: F930 none is named, or none is there; F931, F936 as `Store.opened`.
    """
    return guarded(Store.opened(named(archive)))


def guarded(store: Store) -> Store:
    """The same archive; what it is writing goes where the command is interrupted."""
    store.unfinished, store.held = unfinished, held
    return store
