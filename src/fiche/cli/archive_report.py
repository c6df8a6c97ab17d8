"""`fiche archive report`: one page of what an archive holds of which model on which card."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.archive_options import Archive, Json, Named, WithConfidential, Without
from fiche.cli.deferred import typer


def report(
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="FOLDER|FILE", help="a new folder, or a new file NAME.html"
        ),
    ],
    model: Annotated[
        str | None, typer.Option("--model", metavar="PART", help="only models with this in a name")
    ] = None,
    card: Annotated[
        str | None, typer.Option("--card", metavar="PART", help="only cards with this in a name")
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="TAG", help="en, fr, pt or tr")
    ] = None,
    date: Annotated[
        str | None,
        typer.Option("--date", metavar="DAY", help="as of which day; without it, today"),
    ] = None,
    without: Without = None,
    with_confidential: WithConfidential = False,
    force: Annotated[
        bool, typer.Option("--force", help="replace an overview that is there")
    ] = False,
    archive: Archive = None,
    index: Named = None,
    json: Json = False,
) -> None:
    """Write an overview of each model on each card, as a page.

    Verdicts, how runs ended, observed peaks. Decisions admit; a run alone admits nothing. Confidential
    entries, and what shares their files, are left out and counted.
    """
    from fiche.cli.archive_kept_back import kept_back
    from fiche.cli.archive_reported import write

    narrowed = {"model": model or "", "card": card or ""}
    write(
        output,
        archive,
        index,
        narrowed=narrowed,
        language=language or "en",
        date=date,
        kept_back=kept_back(without or (), with_confidential=with_confidential),
        force=force,
        as_json=json,
    )
