"""`fiche schema`: the JSON Schemas of every file that fiche reads and writes, for editors and others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer


def schema(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="which one, such as fiche; all names where left out"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="a folder to write the schemas into"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="replace schemas that are there already")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Print, list or write the JSON Schemas."""
    from fiche.cli.schemas import chosen, list_text, write_schemas
    from fiche.cli.terminal import put_bytes, put_json, put_text

    found = chosen(name)
    if output is not None:
        write_schemas(found, output, force=force)
    if name is not None and output is None:
        put_bytes(found[name])
    elif json:
        put_json({"format": "fiche-schemas/1", "schemas": sorted(found)})
    else:
        put_text(list_text(found, output))
