"""`fiche archive show`: everything about one entry, or the bytes of one of its files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.archive_options import Archive, Json, Named
from fiche.cli.deferred import typer


def show(
    id: Annotated[str, typer.Argument(metavar="ID", help="an entry's id, or how it begins")],
    file: Annotated[
        str | None, typer.Option(metavar="PATH", help="write this file of it, and nothing else")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="where to write that file")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="replace FILE")] = False,
    archive: Archive = None,
    index: Named = None,
    json: Json = False,
) -> None:
    """Show an entry in full, or write a file of it.

    Its files with their digests, all that it states, what replaces it, where it lies.
    """
    from fiche.cli.archive_shown import show_entry, write_content

    if file is None and output is None:
        show_entry(id, archive, index, as_json=json)
    else:
        write_content(id, file, output, archive, index, force=force)
