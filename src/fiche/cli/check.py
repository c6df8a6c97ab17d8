"""`fiche check`: the answer and the verdict table, in the terminal or as decision.json."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer


def check(
    fiche: Annotated[Path, typer.Argument(metavar="FICHE", help="the workload fiche (YAML)")],
    review: Annotated[
        Path | None,
        typer.Option("--review", metavar="FILE", help="comments of people (YAML): docs/review.md"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="print decision.json")] = False,
    require_retained: Annotated[
        bool, typer.Option("--require-retained", help="exit with 3 if no candidate is retained")
    ] = False,
) -> None:
    """Judge every candidate and print the verdicts."""
    from fiche.cli.compile import compile_fiche
    from fiche.cli.terminal import colour, encoding, put_bytes, put_text, width

    decision = compile_fiche(fiche, review).decision
    if json:
        from fiche.render.json import decision_bytes

        put_bytes(decision_bytes(decision))
    else:
        from fiche.cli.check_pieces import pieces_text
        from fiche.render.text import check_text

        text = check_text(decision, width=width(), colour=colour(), encoding=encoding())
        put_text(text + pieces_text(decision))
    if require_retained and not any(o.status == "retained" for o in decision.outcomes):
        raise SystemExit(3)
