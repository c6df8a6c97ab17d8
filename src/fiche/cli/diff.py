"""`fiche diff`: what changed between two fiches or decisions, and which change moved which verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def diff(
    first: Annotated[
        Path, typer.Argument(metavar="A", help="a fiche or a decision.json: what was")
    ],
    second: Annotated[Path, typer.Argument(metavar="B", help="another one: what is now")],
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="exit with 3 if anything differs")
    ] = False,
) -> None:
    """Say what changed between two fiches, and what moved a verdict."""
    from fiche.cli.diff_sides import compared
    from fiche.cli.terminal import colour, put_json, put_text, width

    found = compared(first, second)
    if json:
        from fiche.cli.diff_json import diff_json

        put_json(diff_json(found))
    else:
        from fiche.cli.diff_text import diff_text

        put_text(diff_text(found, width=width(), colour=colour()))
    if exit_code and not found.empty:
        raise typer.Exit(3)
