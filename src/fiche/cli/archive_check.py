"""`fiche archive check`: whether every bag is as it was written, and the archive around them is whole."""

from __future__ import annotations

from typing import Annotated

from fiche.cli.archive_options import Archive, Json
from fiche.cli.deferred import typer


def check(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="these entries alone")
    ] = None,
    archive: Archive = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="names and lengths only: the files themselves are not read"),
    ] = False,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="first bring additions.jsonl in line, and take old leftovers away"
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Compare every file of every bag with its digest.

    Exit code 3: something is wrong. No bag is ever changed, and nothing is deleted for its age: what may go is
    said.
    """
    from fiche.cli.archive_checked import check_and_tell

    if not check_and_tell(ids or (), archive, quick=quick, repair=repair, as_json=json):
        raise SystemExit(3)
