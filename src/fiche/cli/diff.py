"""`fiche diff`: what changed between two fiches or decisions, and which change moved which verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fiche.cli.deferred import typer

if TYPE_CHECKING:
    from fiche.kernel.difference import Difference


def diff(
    first: Annotated[
        Path, typer.Argument(metavar="A", help="a fiche or a decision.json: what was")
    ],
    second: Annotated[Path, typer.Argument(metavar="B", help="another one: what is now")],
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="exit with 3 if anything differs")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="write a report of it: a new folder"),
    ] = None,
    formats: Annotated[
        str,
        typer.Option(
            "--formats", metavar="NAMES", help="which files of it: html, pdf, json, md, by comma"
        ),
    ] = "",
    language: Annotated[
        str, typer.Option("--language", metavar="TAG", help="en, fr, pt, tr: over that of B")
    ] = "",
    draft: Annotated[
        bool, typer.Option("--draft", help="say DRAFT on every page: not to be signed")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="replace the files of an earlier report there")
    ] = False,
) -> None:
    """Say what changed between two fiches, and what it moved."""
    from fiche.cli.diff_sides import compared

    if output is not None or formats or language or draft or force:
        from fiche.cli.diff_report import Asked, checked, write

        asked = Asked(output=output, formats=formats, language=language, draft=draft, force=force)
        wanted = checked(asked)
        sides = compared(first, second)
        write(sides, wanted, as_json=json)
    else:
        sides = compared(first, second)
        _put(sides.found, as_json=json)
    if exit_code and not sides.found.empty:
        raise SystemExit(3)


def _put(found: Difference, *, as_json: bool) -> None:
    from fiche.cli.terminal import colour, put_json, put_text, width

    if as_json:
        from fiche.cli.diff_json import diff_json

        put_json(diff_json(found))
    else:
        from fiche.cli.diff_text import diff_text

        put_text(diff_text(found, width=width(), colour=colour()))
