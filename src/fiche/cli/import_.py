"""`fiche import`: what a file of evidence says, in the terminal or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="logs, records and other evidence; - reads standard input"
        ),
    ],
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind", metavar="NAME", help="read as this kind, instead of asking the content"
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Say what files of evidence hold.

    What they say, with its place in the file, and what looks like evidence and is none.
    """
    from fiche.cli.evidence import read_evidence
    from fiche.cli.terminal import put_json, put_text

    pieces = read_evidence(files, kind)
    if json:
        put_json({"pieces": [piece.json() for piece in pieces]})
        return
    from fiche.cli.evidence_text import pieces_text

    put_text(pieces_text(pieces))
