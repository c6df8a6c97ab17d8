"""`fiche measure`: phases of a real load on a real device, each series in a fresh process (F3, C1 to C11)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fiche.cli.measure_options import count_option, text_option, with_workload_options

_ORDERING = "phased, whole-loop (un-phased, in its real order) or both; both if left out"
_SET = "any other option of the workload: max_cache_len=4096 (repeatable)"
_VARY = "a series over values of one dimension: batch=1,2,4"
_FRONTIER = "search the largest value that works: context=1024:131072"
_STEP = "frontier: how near the bounds come; 1/64 of the range if left out"
_OUTPUT = typer.Option("-o", "--output", metavar="FILE", help="a new file for the record")
_FROM = typer.Option("--from", metavar="FICHE", help="take the load from this fiche, with --case")
_DRY = typer.Option("--dry-run", help="say what would run, with its dimensions; measure nothing")
_JSON = typer.Option("--json", help="print one JSON object")
_RESUME = typer.Option("--resume", help="frontier: go on from the records of its trials")
Text = str | None
Texts = list[str] | None
Count = int | None


@with_workload_options
def measure(
    typed: typer.Context,
    device: Annotated[Text, text_option("cuda:0, xpu:0, all; the current one if left out")] = None,
    output: Annotated[Path, _OUTPUT] = Path("measurement.json"),
    warmup: Annotated[
        Count, count_option("passes after the first, before the repeats; 1 if left out", 0)
    ] = None,
    repeats: Annotated[Count, count_option("passes after the warm-ups; 2 if left out", 0)] = None,
    empty_cache: Annotated[str, text_option("never or between-repeats", "POLICY")] = "never",
    seed: Annotated[
        Count, count_option("seed of the generators; the fiche's, or 0, if left out", 0)
    ] = None,
    ordering: Annotated[Text, text_option(_ORDERING)] = None,
    gpu: Annotated[Text, text_option("id of the card in a catalog, for the record", "ID")] = None,
    machine: Annotated[Text, text_option("name of the machine, for the record")] = None,
    from_: Annotated[Path | None, _FROM] = None,
    case: Annotated[Text, text_option("the case of the fiche", "ID")] = None,
    candidate: Annotated[Text, text_option("the candidate of the fiche", "ID")] = None,
    repeat_process: Annotated[
        Count, count_option("the same again, in as many fresh processes")
    ] = None,
    vary: Annotated[Texts, text_option(_VARY, "NAME=V,V")] = None,
    shuffle: Annotated[Count, count_option("vary: in an order shuffled with this seed", 0)] = None,
    frontier: Annotated[Texts, text_option(_FRONTIER, "NAME=LOW:HIGH")] = None,
    step: Annotated[Count, count_option(_STEP)] = None,
    max_trials: Annotated[Count, count_option("frontier: trials of this call, at most")] = None,
    max_minutes: Annotated[Count, count_option("frontier: minutes of this call, at most")] = None,
    resume: Annotated[bool, _RESUME] = False,
    set: Annotated[Texts, text_option(_SET, "NAME=VALUE", "--set")] = None,
    dry_run: Annotated[bool, _DRY] = False,
    json: Annotated[bool, _JSON] = False,
    **_: object,
) -> None:
    """Measure a load on a GPU, phase by phase and as a whole loop.

    Each is a record of its own, made in a fresh process. Without --model or --from the load is a small
    dense network.
    """
    from fiche.cli.measuring import measure_asked

    code = measure_asked(typed.params)
    if code:
        raise typer.Exit(code)
