"""`fiche letters`: what is open with each seller, as one text to send (D1, D9)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer


def letters(
    fiche: Annotated[Path, typer.Argument(metavar="FICHE", help="the workload fiche (YAML)")],
    seller: Annotated[
        str | None, typer.Option(metavar="NAME", help="the letter to this seller alone")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Print what to ask of each seller.

    Numbered requests, each with the value that is wanted. What the buyer can pay at most is in none of them.
    """
    from fiche.cli.compile import compile_fiche
    from fiche.cli.letters_text import chosen, letter_text, letters_json
    from fiche.cli.terminal import put_json, put_text

    found = chosen(compile_fiche(fiche).decision, seller)
    if json:
        put_json(letters_json(found))
    elif found:
        put_text("\n".join(letter_text(letter) for letter in found))
    else:
        put_text("Nothing is open that a named seller could supply.\n")
