"""`fiche criteria`: the selection table, criterion by criterion: threshold, expected piece, decision (F8)."""

from __future__ import annotations

from typing import Annotated

from fiche.cli.deferred import typer


def criteria(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND", help="one kind of requirement with its keys; all if left out"
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Print what may be required, and what settles it.

    Of each criterion: which piece it expects, what admits and what excludes.
    """
    from fiche.cli.criteria_text import chosen, criteria_json, criterion_text, list_text
    from fiche.cli.terminal import put_json, put_text

    found = chosen(kind)
    if json:
        put_json(criteria_json(found))
    else:
        put_text(list_text(found) if kind is None else criterion_text(found[0]))
