"""`fiche archive add`: decisions, records and what they rest on become entries of an archive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fiche.cli.archive_options import Archive, Json

_Supersedes = Annotated[
    list[str] | None,
    typer.Option("--supersedes", metavar="ID", help="the entry that this one replaces; repeatable"),
]
_Label = Annotated[
    list[str] | None,
    typer.Option(
        "--label", metavar="NAME=TEXT", help="a word of your own to find it by; repeatable"
    ),
]


def add(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="a record or other evidence, a fiche, a report or its folder, a catalog, a policy",
        ),
    ],
    archive: Archive = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind", metavar="NAME", help="read evidence as this kind, as fiche import does"
        ),
    ] = None,
    supersedes: _Supersedes = None,
    keep_until: Annotated[
        str | None,
        typer.Option("--keep-until", metavar="DAY", help="the day until which it must be kept"),
    ] = None,
    confidentiality: Annotated[
        str | None,
        typer.Option("--confidentiality", metavar="WORD", help="public, internal or confidential"),
    ] = None,
    rights: Annotated[
        str | None,
        typer.Option("--rights", metavar="TEXT", help="who may use it, and how: a licence, say"),
    ] = None,
    label: _Label = None,
    json: Json = False,
) -> None:
    """Add files: records, fiches, reports, catalogs, policies.

    The first add into an empty folder makes the archive. Each path becomes an entry: a bag with its files and
    the figures that they state. What is there stays.
    """
    from fiche.cli.archive_added import add_paths, asked

    told = asked(
        paths,
        kind=kind,
        supersedes=supersedes,
        keep_until=keep_until,
        confidentiality=confidentiality,
        rights=rights,
        label=label,
    )
    add_paths(paths, archive, told, as_json=json)
