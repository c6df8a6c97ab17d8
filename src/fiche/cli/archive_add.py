"""`fiche archive add`: decisions, records and what they rest on become entries of an archive."""

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

_Supersedes = Annotated[
    list[str] | None,
    typer.Option("--supersedes", metavar="ID", help="the entry that this one replaces; repeatable"),
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
    keep_until: KeepUntil = None,
    confidentiality: Confidentiality = None,
    rights: Rights = None,
    label: Label = None,
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
