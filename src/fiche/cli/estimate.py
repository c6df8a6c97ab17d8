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
_MODEL = "its files: a folder, a file, or org/model@revision on a hub"
_SET = "set one thing: engine.name=vllm, formats.cache=fp8_e4m3, prompt_tokens=8192 (repeatable)"
_SOLVE = "largest context, concurrency, batch, sequence or rank on a device"
_SWEEP = "a table over values: context=2048,4096 or any setting (repeatable)"
_ON = "device for --solve: a card of the catalog, or bytes such as '24 GiB'"
_CARDS = typer.Option("--cards", help="list cards of the catalog to examine for the envelope")
_GRID = typer.Option("--grid", help="sweep every combination, not one variable at a time")
_CSV = typer.Option("--csv", help="print a sweep as CSV, in bytes")
_JSON = typer.Option("--json", help="print one JSON object")
Words = list[str] | None


def estimate(
    context: typer.Context,
    fiche: Annotated[Path | None, _FICHE] = None,
    case: Annotated[str | None, _text("ID", "the case of the fiche to show")] = None,
    model: Annotated[str | None, _text("MODEL", _MODEL)] = None,
    parameters: Annotated[str | None, _text("COUNT", "all parameters, in plain digits")] = None,
    bits: Annotated[str | None, _text("COUNT", "bits of one stored value")] = None,
    format: Annotated[str | None, _text("NAME", "stored format, such as bf16 or nf4")] = None,
    reserve_gib: Annotated[str | None, _text("GIB", "assumed reserve, 2^30 bytes each")] = None,
    reserve_gb: Annotated[str | None, _text("GB", "assumed reserve, 10^9 bytes each")] = None,
    operation: Annotated[str | None, _text("NAME", _OPERATION)] = None,
    engine: Annotated[str | None, _text("NAME", "program that runs it: vllm, llama.cpp")] = None,
    engine_version: Annotated[str | None, _text("VERSION", "its version: 0.28.0")] = None,
    layers: Annotated[str | None, _text("COUNT", "layers that keep a KV cache")] = None,
    kv_heads: Annotated[str | None, _text("COUNT", "KV heads, never query heads")] = None,
    head_dim: Annotated[str | None, _text("COUNT", "values in one head")] = None,
    tokens: Annotated[str | None, _text("COUNT", "tokens to hold in one sequence")] = None,
    sequences: Annotated[str | None, _text("COUNT", "sequences in memory at one time")] = None,
    cache: Annotated[str | None, _text("NAME", "format of the cache, such as bf16 or q8_0")] = None,
    cache_bits: Annotated[str | None, _text("COUNT", "bits of one cached value")] = None,
    set: Annotated[Words, typer.Option("--set", metavar="PATH=VALUE", help=_SET)] = None,
    solve: Annotated[str | None, _text("NAME", _SOLVE)] = None,
    on: Annotated[str | None, _text("DEVICE", _ON)] = None,
    sweep: Annotated[Words, typer.Option("--sweep", metavar="NAME=V,V", help=_SWEEP)] = None,
    grid: Annotated[bool, _GRID] = False,
    cards: Annotated[bool, _CARDS] = False,
    csv: Annotated[bool, _CSV] = False,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Compute weights, caches and phases by arithmetic alone.

    And what fits, and tables of either.
    """
    from fiche.cli.estimating import put_estimate
    from fiche.cli.options import Options

    # Two dozen options of one shape: they are taken together, by name, from the context.
    put_estimate(fiche, case, Options.typed(context.params))
