"""`fiche simulate`: the real code of a load, run without a GPU; what it says is computed, never observed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fiche.cli.measure_options import count_option, text_option, with_workload_options

_FUNCTION = "your own module:name or file.py:name, called with a recorder, or without"
_SET = "any other option of the workload, or of your function: batch=2 (repeatable)"
_ALLOCATOR = "what PYTORCH_CUDA_ALLOC_CONF would hold: expandable_segments:True"
_CAPACITY = "memory of the device: 24 GiB; endless if left out"
_GPU = "id of a card: its memory, as machines print it, and its compute capability"
_CAPABILITY = "compute capability that code is told; the card's, or 8.0, if left out"
_RANK = "which device of several: most-loaded, or its number; most-loaded if left out"
_SHARDING = "what devices share out: zero1, zero2, zero3, fsdp"
_PLACEMENT = "further words of a placement: offload=optimizer, reduce_bucket_size=… (repeatable)"
_TIME = "how long it may take; 10 min if left out"
_MEMORY = "host memory of its process, as address space: 24 GiB if left out; none"
_OUTPUT = typer.Option("-o", "--output", metavar="FILE", help="a new file for the simulation")
_EVENTS = typer.Option("--events", metavar="FILE", help="a new CSV file of every memory event")
_FROM = typer.Option("--from", metavar="FICHE", help="take the load from this fiche, with --case")
_EVERY = typer.Option("--every-step", help="run all steps of a long decode: reserved bytes, slower")
_DRY = typer.Option("--dry-run", help="say what would run, with its dimensions; simulate nothing")
_JSON = typer.Option("--json", help="print the simulation as one JSON object")
Text = str | None
Texts = list[str] | None
Count = int | None


@with_workload_options
def simulate(
    typed: typer.Context,
    function: Annotated[Text, text_option(_FUNCTION, "MODULE:NAME")] = None,
    output: Annotated[Path, _OUTPUT] = Path("simulation.json"),
    from_: Annotated[Path | None, _FROM] = None,
    case: Annotated[Text, text_option("the case of the fiche", "ID")] = None,
    candidate: Annotated[Text, text_option("the candidate of the fiche", "ID")] = None,
    allocator: Annotated[Text, text_option(_ALLOCATOR, "TEXT")] = None,
    capacity: Annotated[Text, text_option(_CAPACITY, "AMOUNT")] = None,
    gpu: Annotated[Text, text_option(_GPU, "ID")] = None,
    machine: Annotated[Text, text_option("name of the machine that is asked about")] = None,
    capability: Annotated[Text, text_option(_CAPABILITY, "X.Y")] = None,
    devices: Annotated[Count, count_option("devices that share the load; 1 if left out")] = None,
    rank: Annotated[Text, text_option(_RANK)] = None,
    sharding: Annotated[Text, text_option(_SHARDING)] = None,
    tensor_parallel: Annotated[Count, count_option("devices over which each matrix is cut")] = None,
    placement: Annotated[Texts, text_option(_PLACEMENT, "NAME=VALUE")] = None,
    time_limit: Annotated[Text, text_option(_TIME, "DURATION")] = None,
    memory_limit: Annotated[Text, text_option(_MEMORY, "AMOUNT")] = None,
    events: Annotated[Path | None, _EVENTS] = None,
    set: Annotated[Texts, text_option(_SET, "NAME=VALUE", "--set")] = None,
    every_step: Annotated[bool, _EVERY] = False,
    dry_run: Annotated[bool, _DRY] = False,
    json: Annotated[bool, _JSON] = False,
    **_: object,
) -> None:
    """Compute what a load takes by running its code, without a GPU.

    No weights are needed. Allocated and reserved peak of each phase, and what is alive then: computed, so it
    neither admits nor excludes. Without --model, --from or --function the load is a small dense network.
    """
    from fiche.cli.simulating import simulate_asked

    simulate_asked(typed.params)
