"""`fiche estimate`: weights, reserve and cache by arithmetic alone, from options or from a fiche."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def _text(metavar: str, words: str) -> typer.models.OptionInfo:
    """An option that keeps its text: quantities are read by fiche, exactly, or refused."""
    option: typer.models.OptionInfo = typer.Option(metavar=metavar, help=words)
    return option


_FICHE = typer.Argument(metavar="FICHE", help="a workload fiche, instead of the options below")
_OPERATION = "training, adaptation or generation: adds questions, never a factor"
_CARDS = typer.Option("--cards", help="list cards of the catalog to examine for the envelope")


def estimate(
    context: typer.Context,
    fiche: Annotated[Path | None, _FICHE] = None,
    case: Annotated[str | None, _text("ID", "the case of the fiche to show")] = None,
    parameters: Annotated[str | None, _text("COUNT", "all parameters, in plain digits")] = None,
    bits: Annotated[str | None, _text("COUNT", "bits of one stored value")] = None,
    format: Annotated[str | None, _text("NAME", "stored format, such as bf16 or nf4")] = None,
    reserve_gib: Annotated[str | None, _text("GIB", "assumed reserve, 2^30 bytes each")] = None,
    reserve_gb: Annotated[str | None, _text("GB", "assumed reserve, 10^9 bytes each")] = None,
    operation: Annotated[str | None, _text("NAME", _OPERATION)] = None,
    layers: Annotated[str | None, _text("COUNT", "layers that keep a KV cache")] = None,
    kv_heads: Annotated[str | None, _text("COUNT", "KV heads, never query heads")] = None,
    head_dim: Annotated[str | None, _text("COUNT", "values in one head")] = None,
    tokens: Annotated[str | None, _text("COUNT", "tokens to hold in one sequence")] = None,
    sequences: Annotated[str | None, _text("COUNT", "sequences in memory at one time")] = None,
    cache_bits: Annotated[str | None, _text("COUNT", "bits of one cached value")] = None,
    cards: Annotated[bool, _CARDS] = False,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Compute weights, KV cache and a named envelope."""
    from fiche.cli.estimates import Options, asked_workload, candidates_to_examine, estimate_of
    from fiche.cli.estimates_text import estimate_json, estimate_text
    from fiche.cli.terminal import put_json, put_text

    # A dozen options of one shape: they are taken together, by name, from the context.
    options = Options.typed(context.params)
    found = estimate_of(asked_workload(fiche, case, options))
    listed = candidates_to_examine(found) if cards else None
    if json:
        put_json(estimate_json(found, listed))
    else:
        put_text(estimate_text(found, listed))
