"""`fiche model`: what the files of a model are, by their headers alone, here or on a hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer


def model(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="a folder, a file of a model, or a name on a hub: org/model, org/model@revision, "
            "org/model:file.gguf",
        ),
    ],
    save: Annotated[
        Path | None,
        typer.Option(
            "--save", metavar="FOLDER", help="write config.json and tensors.json for a fiche there"
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="replace files that are there already")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Say what the files of a model are.

    Parameters, bytes by format and what its layers keep; only headers are read.
    """
    from fiche.cli.model_text import model_text
    from fiche.cli.models import described, saved
    from fiche.cli.terminal import put_json, put_text

    found = described(source, save, force=force)
    lines = "" if save is None else saved(found, save, force=force)
    if json:
        from fiche.cli.model_json import model_json

        put_json(model_json(found, lines))
    else:
        put_text(model_text(found, lines))
