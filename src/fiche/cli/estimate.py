"""`fiche estimate`: weights, reserve and cache by arithmetic alone, from options or from a fiche."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def estimate(
    fiche: Annotated[
        Path | None, typer.Argument(help="a workload fiche, instead of the options below")
    ] = None,
    case: Annotated[
        str | None, typer.Option(metavar="ID", help="the case of the fiche to show")
    ] = None,
    parameters: Annotated[
        str | None, typer.Option(metavar="COUNT", help="count of all parameters, in plain digits")
    ] = None,
    bits: Annotated[
        str | None, typer.Option(metavar="COUNT", help="bits of one stored value")
    ] = None,
    format: Annotated[
        str | None, typer.Option(metavar="NAME", help="stored format by name, such as bf16 or nf4")
    ] = None,
    reserve_gib: Annotated[
        str | None, typer.Option(metavar="GIB", help="an assumed reserve in GiB (2^30 bytes each)")
    ] = None,
    reserve_gb: Annotated[
        str | None, typer.Option(metavar="GB", help="an assumed reserve in GB (10^9 bytes each)")
    ] = None,
    operation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="training, adaptation or generation: adds questions, never a factor",
        ),
    ] = None,
    layers: Annotated[
        str | None, typer.Option(metavar="COUNT", help="layers that keep a KV cache")
    ] = None,
    kv_heads: Annotated[
        str | None, typer.Option(metavar="COUNT", help="KV heads of a layer, never query heads")
    ] = None,
    head_dim: Annotated[
        str | None, typer.Option(metavar="COUNT", help="values in one head")
    ] = None,
    tokens: Annotated[
        str | None, typer.Option(metavar="COUNT", help="tokens to hold in one sequence")
    ] = None,
    sequences: Annotated[
        str | None, typer.Option(metavar="COUNT", help="sequences in memory at the same time")
    ] = None,
    cache_bits: Annotated[
        str | None, typer.Option(metavar="COUNT", help="bits of one cached value")
    ] = None,
    cards: Annotated[
        bool, typer.Option("--cards", help="list cards of the catalog to examine for the envelope")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Compute weights, KV cache and a named envelope."""
    from fiche.cli.estimates import Options, asked_workload, estimate_of
    from fiche.cli.estimates_text import estimate_json, estimate_text, examined
    from fiche.cli.terminal import put_json, put_text

    options = Options(
        parameters=parameters,
        bits=bits,
        format=format,
        reserve_gib=reserve_gib,
        reserve_gb=reserve_gb,
        operation=operation,
        layers=layers,
        kv_heads=kv_heads,
        head_dim=head_dim,
        tokens=tokens,
        sequences=sequences,
        cache_bits=cache_bits,
    )
    found = estimate_of(asked_workload(fiche, case, options))
    listed = None
    if cards:
        from fiche.load.catalog import builtin_catalog

        listed = examined(found, builtin_catalog().cards.values())
    if json:
        put_json(estimate_json(found, listed))
    else:
        put_text(estimate_text(found, listed))
