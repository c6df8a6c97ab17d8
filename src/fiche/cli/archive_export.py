"""`fiche archive export`: entries in forms that other programs read, or as the bags that they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fiche.cli.archive_options import Archive, Json, Named, WithConfidential, Without
from fiche.cli.deferred import typer


def _many(metavar: str, help: str) -> Any:  # noqa: ANN401 - as typer has it
    return typer.Option(metavar=metavar, help=f"{help}; repeatable")


_Part = Annotated[list[str] | None, _many("PART", "part of its name, as search takes it")]
_Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID", help="entries, or how their ids begin; - reads ids, a line each"),
]
_Kind = Annotated[
    list[str] | None, _many("KIND", "record, piece, fiche, catalog, policy or decision")
]
_Outcome = Annotated[list[str] | None, _many("WORD", "passed, failed, unknown, or a verdict")]


_Formats = Annotated[
    str, typer.Option("--formats", metavar="LIST", help="among crate, parquet, csv, bags")
]
_Since = Annotated[
    str | None, typer.Option("--from", metavar="DAY", help="dated that day or later")
]
_Until = Annotated[str | None, typer.Option(metavar="DAY", help="dated that day or earlier")]


def export(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="a new folder")],
    ids: _Ids = None,
    formats: _Formats = "crate,csv",
    model: _Part = None,
    card: _Part = None,
    engine: _Part = None,
    machine: _Part = None,
    kind: _Kind = None,
    outcome: _Outcome = None,
    label: Annotated[list[str] | None, _many("NAME=PART", "one of the labels")] = None,
    since: _Since = None,
    until: _Until = None,
    current: Annotated[
        bool, typer.Option("--current", help="only what no later entry replaces")
    ] = False,
    without: Without = None,
    with_confidential: WithConfidential = False,
    archive: Archive = None,
    index: Named = None,
    json: Json = False,
) -> None:
    """Write entries into a new folder, for other programs.

    All, some by id, or what a search finds. A research object crate and tables by default; Parquet with
    fiche[parquet]. What is confidential, or shares a file with what is, is left out and listed.
    """
    told = dict(locals())
    from fiche.cli.archive_chosen import chosen
    from fiche.cli.archive_exported import parse_formats, write
    from fiche.cli.archive_kept_back import kept_back
    from fiche.cli.archive_options import opened

    wanted = parse_formats(formats)
    store = opened(archive)
    write(
        store,
        chosen(store, told),
        output,
        wanted,
        told_index=index,
        kept_back=kept_back(without or (), with_confidential=with_confidential),
        as_json=json,
    )
