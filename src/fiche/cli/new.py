"""`fiche new`: a commented skeleton of a fiche, and an empty comparison table to fill in (F5)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def new(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="PATH", help="a new folder, or a new file that ends in .yaml"),
    ] = None,
    comparison_table: Annotated[
        Path | None,
        typer.Option(
            "--comparison-table", metavar="FILE", help="write an empty comparison table (CSV) there"
        ),
    ] = None,
    date: Annotated[
        str | None,
        typer.Option(metavar="YYYY-MM-DD", help="date of the fiche; today's if left out"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="replace files that are there already")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Write a commented skeleton of a fiche."""
    from datetime import datetime

    from fiche.cli.skeleton import files, write_new
    from fiche.cli.terminal import put_json, put_text

    today = date or datetime.now().astimezone().date().isoformat()
    written = write_new(files(path, comparison_table, today), force=force)
    if json:
        put_json({"format": "fiche-written/1", "files": [str(each) for each in written]})
    else:
        put_text("".join(f"{each}\n" for each in written))
