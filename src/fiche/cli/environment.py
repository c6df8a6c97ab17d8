"""`fiche environment`: GPU, declared bytes, driver, Python, framework, allocator, and what is missing (F2)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer


def environment(
    device: Annotated[
        str | None,
        typer.Option(
            "--device", metavar="NAME", help="cuda:0, xpu:0; every visible one if left out"
        ),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option("--machine", metavar="ID", help="what a fiche calls this machine"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="write the piece there, a new file"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object: the piece")] = False,
) -> None:
    """Say what this machine is, and what is missing for measuring.

    With --output it is a piece of evidence that bounds the capacity of this machine's devices.
    """
    from fiche.cli.environment_piece import piece_of, write_piece
    from fiche.cli.terminal import put_json, put_text

    document = piece_of(device, machine, output)
    if output is not None:
        write_piece(document, output)
    if json:
        put_json(document)
    else:
        from fiche.cli.environment_text import environment_text

        put_text(environment_text(document, output))
