"""`fiche import`: what a file of evidence says, in the terminal or as JSON, or as a piece of a fiche."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer

_Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE",
        help="logs, records and other evidence, a folder of records, or with --to archive:ID[/FILE]; "
        "- reads standard input",
    ),
]
_Merge = Annotated[
    Path | None,
    typer.Option(
        "--merge", metavar="OUT", help="write the records of all ranks of a run as one record"
    ),
]
_Archive = Annotated[
    str | None,
    typer.Option(
        "--archive", metavar="WHERE", help="where archive:ID is looked up [FICHE_ARCHIVE]"
    ),
]


def import_(
    files: _Files,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind", metavar="NAME", help="read as this kind, instead of asking the content"
        ),
    ] = None,
    archive: _Archive = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FICHE", help="add each file as a piece to this fiche"),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="what the stored file is called, with --to"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="with --to: show the change and write nothing")
    ] = False,
    redact: Annotated[
        bool,
        typer.Option(
            "--redact",
            help="replace users, hosts, addresses and secrets before it is shown or stored",
        ),
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="draw its memory over time as SVG"),
    ] = None,
    merge: _Merge = None,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Say what files of evidence hold; --to adds them to a fiche.

    What they say, with its place in the file, and what looks like evidence and is none.
    """
    from fiche.cli.imported import attach, put_together, show

    alone = [*_given(name=name, dry_run=dry_run)]
    if merge is not None:
        alone += _beside(kind=kind, to=to, redact=redact, picture=picture)
        put_together(files, merge, json=json, alone=alone)
    elif to is None:
        show(files, kind, redact=redact, json=json, picture=picture, alone=alone)
    else:
        attach(files, to, kind, name, archive, redact=redact, dry_run=dry_run, json=json)


def _given(*, name: str | None, dry_run: bool) -> list[str]:
    """The options that say something only beside `--to`."""
    told = {"--name": name is not None, "--dry-run": dry_run}
    return [option for option, given in told.items() if given]


def _beside(**options: object) -> list[str]:
    """The options that are given."""
    return [f"--{option}" for option, value in options.items() if value]
