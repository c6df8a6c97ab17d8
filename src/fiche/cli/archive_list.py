"""`fiche archive list`: what an archive holds, the newest first, one line an entry."""

from __future__ import annotations

from typing import Annotated

from fiche.cli.archive_options import Archive, Json, Named
from fiche.cli.deferred import typer


def list_(
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND", help="record, piece, fiche, catalog, policy or decision; repeatable"
        ),
    ] = None,
    limit: Annotated[
        str | None, typer.Option(metavar="N", help="entries shown [20]; 0 is all")
    ] = None,
    archive: Archive = None,
    index: Named = None,
    json: Json = False,
) -> None:
    """List what an archive holds, the newest first."""
    from fiche.cli.archive_listed import list_entries

    list_entries(kind or (), limit, archive, index, as_json=json)
