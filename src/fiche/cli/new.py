"""`fiche new`: a commented skeleton of a fiche, and an empty comparison table to fill in (F5)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer


def new(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="PATH", help="a new folder, or a new file that ends in .yaml"),
    ] = None,
    records: Annotated[
        list[Path] | None,
        typer.Option(
            "--from", metavar="RECORD", help="start from what a record shows; may be said again"
        ),
    ] = None,
    gpu: Annotated[
        str | None,
        typer.Option(
            "--gpu", metavar="ID", help="with --from: the card, where the record names none"
        ),
    ] = None,
    comparison_table: Annotated[
        Path | None,
        typer.Option(
            "--comparison-table", metavar="FILE", help="write an empty comparison table (CSV) there"
        ),
    ] = None,
    date: Annotated[
        str | None,
        typer.Option(metavar="YYYY-MM-DD", help="date of the fiche; today's if left out"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="replace files that are there already")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Write a skeleton of a fiche, or one of what was measured.

    The skeleton is commented, and valid as it is.
    """
    from datetime import datetime

    from fiche.cli.skeleton import files, write_new
    from fiche.cli.terminal import put_json, put_text

    today = date or datetime.now().astimezone().date().isoformat()
    if records or gpu is not None:
        written = _started(records or [], path, comparison_table, today, gpu, force=force)
    else:
        written = write_new(files(path, comparison_table, today), force=force)
    if json:
        put_json({"format": "fiche-written/1", "files": [str(each) for each in written]})
    else:
        put_text("".join(f"{each}\n" for each in written))


def _started(
    records: list[Path],
    path: Path | None,
    comparison_table: Path | None,
    date: str,
    gpu: str | None,
    *,
    force: bool,
) -> tuple[Path, ...]:
    from fiche.cli.skeleton import files, write_new
    from fiche.cli.started import start
    from fiche.cli.usage import together
    from fiche.kernel.diagnostic import Refused

    if not records:
        hint = "name the record: fiche new --from m.json --gpu ID"
        raise Refused([together("--gpu says the card of a record, and none is given", hint)])
    table = files(None, comparison_table, date) if comparison_table is not None else {}
    if comparison_table is None:
        files(Path(), None, date)  # the date is judged before anything is written
    return (*start(records, path, date, gpu, force=force), *write_new(table, force=force))
