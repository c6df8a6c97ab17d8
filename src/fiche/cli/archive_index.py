"""`fiche archive index`: the index of an archive, brought up to date or made anew from the bags."""

from __future__ import annotations

from typing import Annotated

from fiche.cli.archive_options import Archive, Json, Named
from fiche.cli.deferred import typer


def index(
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="make it anew from every bag, whatever it is")
    ] = False,
    archive: Archive = None,
    index: Named = None,
    json: Json = False,
) -> None:
    """Bring the index up to date, or make it anew.

    It is made from the bags, and they are what counts: an index may be deleted.
    """
    from fiche.cli.archive_rebuilt import bring_up_to_date

    bring_up_to_date(archive, index, rebuild=rebuild, as_json=json)
