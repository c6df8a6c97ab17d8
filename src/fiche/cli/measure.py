"""`fiche measure`: phases of a real load on a real device, each series in a fresh process (F3, C1 to C11)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def _text(words: str, metavar: str = "NAME", name: str | None = None) -> Any:  # noqa: ANN401
    """An option that keeps its text: the workload says what type it has."""
    return typer.Option(*([name] if name else []), metavar=metavar, help=words)


def _count(words: str, least: int = 1) -> Any:  # noqa: ANN401
    return typer.Option(metavar="COUNT", min=least, help=words)


def _flag(name: str, words: str) -> Any:  # noqa: ANN401
    return typer.Option(f"--{name}", help=words)


_MODEL = "a config.json, or a folder with one: that model with random weights"
_OPERATION = "what the model does: generation, training or adaptation"
_ORDERING = "phased, whole-loop (un-phased, in its real order) or both"
_SET = "any other option of the workload: encoder_tokens=128 (repeatable)"
_VARY = "a series over values of one dimension: batch=1,2,4"
_FRONTIER = "search the largest value that works: context=1024:131072"
_STEP = "frontier: how near the bounds come; 1/64 of the range if left out"
_OUTPUT = typer.Option("-o", "--output", metavar="FILE", help="a new file for the record")
_FROM = typer.Option("--from", metavar="FICHE", help="take the load from this fiche, with --case")
_DRY = typer.Option("--dry-run", help="say what would run, with its dimensions; measure nothing")
_JSON = typer.Option("--json", help="print one JSON object")
_RESUME = typer.Option("--resume", help="frontier: go on from the records of its trials")
Text = str | None
Count = int | None


def measure(
    context_: typer.Context,
    device: Annotated[Text, _text("cuda:0, xpu:0, all; the current one if left out")] = None,
    output: Annotated[Path, _OUTPUT] = Path("measurement.json"),
    batch: Annotated[Text, _text("dense network: rows of the tensor", "COUNT")] = None,
    context: Annotated[Text, _text("dense network: its length, no LLM context", "COUNT")] = None,
    width: Annotated[Text, _text("dense network: its width", "COUNT")] = None,
    dtype: Annotated[Text, _text("format of weights and inputs")] = None,
    warmup: Annotated[Count, _count("passes after the first, before the repeats; 1", 0)] = None,
    repeats: Annotated[Count, _count("passes after the warm-ups; 2", 0)] = None,
    empty_cache: Annotated[str, _text("never or between-repeats", "POLICY")] = "never",
    seed: Annotated[Count, _count("of the generators; that of the fiche, or 0", 0)] = None,
    ordering: Annotated[Text, _text(_ORDERING)] = None,
    gpu: Annotated[Text, _text("id of the card in a catalog, for the record", "ID")] = None,
    machine: Annotated[Text, _text("name of the machine, for the record")] = None,
    model: Annotated[Text, _text(_MODEL, "PATH")] = None,
    operation: Annotated[Text, _text(_OPERATION)] = None,
    prompt_tokens: Annotated[Text, _text("tokens of each prompt", "COUNT")] = None,
    new_tokens: Annotated[Text, _text("tokens to generate", "COUNT")] = None,
    sequences: Annotated[Text, _text("sequences at one time", "COUNT")] = None,
    cache: Annotated[Text, _text("KV cache: dynamic, static or quantized")] = None,
    cache_bits: Annotated[Text, _text("bits of a quantized cache", "COUNT")] = None,
    attention: Annotated[Text, _text("attention implementation: eager, sdpa, ...")] = None,
    microbatch: Annotated[Text, _text("training: sequences in one pass", "COUNT")] = None,
    accumulation: Annotated[Text, _text("training: passes in one step", "COUNT")] = None,
    sequence_tokens: Annotated[Text, _text("training: tokens of a sequence", "COUNT")] = None,
    optimizer: Annotated[Text, _text("training: adamw, sgd, ...")] = None,
    train_dtype: Annotated[Text, _text("training: format of what is computed")] = None,
    checkpointing: Annotated[
        bool, _flag("checkpointing", "training: recompute activations")
    ] = False,
    evaluation: Annotated[bool, _flag("evaluation", "training: evaluate after the steps")] = False,
    export: Annotated[bool, _flag("export", "training: write the weights at the end")] = False,
    lora_rank: Annotated[Text, _text("adaptation: rank of the adapters", "COUNT")] = None,
    lora_targets: Annotated[Text, _text("adaptation: modules, with commas", "NAMES")] = None,
    quantize: Annotated[Text, _text("load the base model so: nf4, int8, ...")] = None,
    set: Annotated[list[str] | None, _text(_SET, "NAME=VALUE", "--set")] = None,
    from_: Annotated[Path | None, _FROM] = None,
    case: Annotated[Text, _text("the case of the fiche", "ID")] = None,
    candidate: Annotated[Text, _text("the candidate of the fiche", "ID")] = None,
    repeat_process: Annotated[Count, _count("the same again, in as many fresh processes")] = None,
    vary: Annotated[list[str] | None, _text(_VARY, "NAME=V,V")] = None,
    shuffle: Annotated[Count, _count("vary: in an order shuffled with this seed", 0)] = None,
    frontier: Annotated[list[str] | None, _text(_FRONTIER, "NAME=LOW:HIGH")] = None,
    step: Annotated[Count, _count(_STEP)] = None,
    max_trials: Annotated[Count, _count("frontier: trials of this call, at most")] = None,
    max_minutes: Annotated[Count, _count("frontier: minutes of this call, at most")] = None,
    resume: Annotated[bool, _RESUME] = False,
    dry_run: Annotated[bool, _DRY] = False,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Measure a load on a GPU, phase by phase and as a whole loop, each in a fresh process."""
    from fiche.cli.measuring import measure_asked

    # Four dozen options of one shape: they are taken together, by name, from the context.
    code = measure_asked(context_.params)
    if code:
        raise typer.Exit(code)
