"""`fiche explain`: what a code means, or where a number of a decision comes from, down to the byte."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer

_CODE = re.compile(r"F[0-9]{3}")


def explain(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="a code such as F203, or a fiche")],
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="a figure, a reading, a piece, or candidate/requirement; all ids if left out",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Explain a code, or walk a number of a fiche back."""
    from fiche.cli.terminal import put_json, put_text

    if _CODE.fullmatch(what) and name is None:
        from fiche.cli.codes import code_json, code_text

        told = code_json(what) if json else code_text(what)
    else:
        from fiche.cli.compile import compile_fiche
        from fiche.cli.explained import explained

        told = explained(compile_fiche(Path(what)), name, as_json=json)
    if isinstance(told, str):
        put_text(told)
    else:
        put_json(told)
