"""`fiche run -- COMMAND`: a user's own program, measured process by process without rewriting it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer

_DIM = "a dimension as you attest it: microbatch=2 (repeatable); declared, never executed"
_COVERS = "the phases that the command goes through, with commas: forward,backward"
_SNAPSHOT = "keep the allocator's history, and a snapshot of the first exhaustion; it costs time"
_DEVICE = "record this device alone: cuda:0 (repeatable); all that are used if left out"


def run_(
    command: Annotated[
        list[str], typer.Argument(metavar="-- COMMAND ...", help="what to run, behind --")
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="a new folder")
    ] = None,
    run_id: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="name of the run in its records")
    ] = None,
    snapshot: Annotated[bool, typer.Option("--snapshot", help=_SNAPSHOT)] = False,
    covers: Annotated[str | None, typer.Option(metavar="PHASES", help=_COVERS)] = None,
    dim: Annotated[list[str] | None, typer.Option(metavar="NAME=COUNT", help=_DIM)] = None,
    case: Annotated[
        str | None, typer.Option(metavar="ID", help="the case that this is meant to run")
    ] = None,
    machine: Annotated[
        str | None, typer.Option(metavar="ID", help="name of the machine, for the records")
    ] = None,
    gpu: Annotated[
        str | None, typer.Option(metavar="ID", help="id of the card in a catalog, for the records")
    ] = None,
    device: Annotated[list[str] | None, typer.Option(metavar="NAME", help=_DEVICE)] = None,
    json: Annotated[
        bool, typer.Option("--json", help="print run.json when the command has ended")
    ] = False,
) -> None:
    """Run a command, and record what it holds on a GPU.

    Each of its processes that uses one leaves a record, with the peaks since it began.
    """
    from fiche.cli.running import Asked, run_asked

    asked = Asked(
        command=tuple(command),
        output=output,
        run=run_id,
        snapshot=snapshot,
        covers=covers,
        dimensions=tuple(dim or ()),
        words={"case": case or "", "machine": machine or "", "gpu": gpu or ""},
        devices=tuple(device or ()),
        json=json,
    )
    code = run_asked(asked)
    if code:
        raise SystemExit(code)
