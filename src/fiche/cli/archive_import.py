"""`fiche archive import`: folders of older work, records by the thousand, and whole archives."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.archive_options import (
    Archive,
    Confidentiality,
    Json,
    KeepUntil,
    Label,
    Rights,
)
from fiche.cli.deferred import typer

_Refused = Annotated[
    Path | None,
    typer.Option(
        "--refused", metavar="FILE", help="a new file for what was refused: one JSON object a line"
    ),
]


def import_(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="folders with fiches, reports, records and logs in them, files, other archives",
        ),
    ],
    archive: Archive = None,
    refused: _Refused = None,
    keep_until: KeepUntil = None,
    confidentiality: Confidentiality = None,
    rights: Rights = None,
    label: Label = None,
    json: Json = False,
) -> None:
    """Add all that lies below folders, or another archive.

    What is refused is named, and the work goes on. What is there already is passed over, so the same command
    goes on where it was stopped. Of another archive every entry is taken as it is. Exit code 3: something was
    refused, and all else was taken.
    """
    from fiche.cli.archive_added import asked
    from fiche.cli.archive_imported import import_all

    told = asked(
        (),
        kind=None,
        supersedes=None,
        keep_until=keep_until,
        confidentiality=confidentiality,
        rights=rights,
        label=label,
    )
    if not import_all(paths, archive, told, refused, as_json=json):
        raise SystemExit(3)
