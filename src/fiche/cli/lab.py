"""`fiche lab export`: script, notebook and guide for a machine that has no fiche (F4, F9)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Take the measurement to a machine that has no fiche.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.callback()
def _lab() -> None:
    """Keep `export` a word of its own: one command alone would take the group's place."""


@app.command()
def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="a new folder")],
    zip: Annotated[bool, typer.Option("--zip", help="write DIR.zip beside it, too")] = False,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Write script, notebook, guide and table into a new folder."""
    from fiche.cli.exported import write_lab
    from fiche.cli.terminal import put_json, put_text

    written = write_lab(folder, zip=zip)
    if json:
        put_json({"format": "fiche-written/1", "files": [str(each) for each in written]})
    else:
        put_text("".join(f"{each}\n" for each in written))
