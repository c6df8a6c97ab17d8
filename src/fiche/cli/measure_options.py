"""The options of `fiche measure` that belong to its workloads: each workload says which it knows.

They keep their text, because the workload has the type of each; a flag is there or not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

Command = TypeVar("Command", bound=Callable[..., None])

# Name, what stands for its value, what it says. The first four are those of the dense network.
TEXTS = (
    ("batch", "COUNT", "dense network: rows of the tensor; 2 if left out"),
    ("context", "COUNT", "dense network: its length, no LLM context; 128 if left out"),
    ("width", "COUNT", "dense network: its width; 1024 if left out"),
    ("dtype", "NAME", "format of weights; the model's own if left out; dense network: float32"),
    ("model", "PATH", "a config.json, or a folder with one: that model's real code"),
    ("weights", "NAME", "random, or stored: load the folder's .safetensors"),
    ("operation", "NAME", "what the model does: generation, training or adaptation"),
    ("prompt_tokens", "COUNT", "tokens of each prompt, of the decoder's; 128 if left out"),
    ("encoder_tokens", "COUNT", "models with an encoder: tokens that it reads; 128 if left out"),
    ("new_tokens", "COUNT", "tokens to generate; 16 if left out"),
    ("sequences", "COUNT", "sequences at one time; 1 if left out"),
    ("cache", "NAME", "KV cache: dynamic, static or quantized"),
    ("cache_bits", "COUNT", "bits of a quantized cache"),
    ("attention", "NAME", "attention implementation: eager, sdpa, ..."),
    ("microbatch", "COUNT", "training: sequences in one pass; 1 if left out"),
    ("accumulation", "COUNT", "training: passes in one step; 1 if left out"),
    ("sequence_tokens", "COUNT", "training: tokens of a sequence; 128 if left out"),
    ("optimizer", "NAME", "training: adamw, sgd, ..."),
    ("train_dtype", "NAME", "training: format of what is computed"),
    ("lora_rank", "COUNT", "adaptation: rank of the adapters; 8 if left out"),
    ("lora_targets", "NAMES", "adaptation: modules, with commas; all linear ones if left out"),
    ("quantize", "NAME", "adaptation: load the base model so, such as nf4"),
)
FLAGS = (
    ("checkpointing", "training: recompute activations"),
    ("evaluation", "training: evaluate after the steps"),
    ("export", "training: write the weights at the end"),
)
NAMES = tuple(name for name, *_ in (*TEXTS, *FLAGS))


Option = typer.models.OptionInfo


def text_option(words: str, metavar: str = "NAME", name: str | None = None) -> Option:
    """An option that keeps its text."""
    option: Option = typer.Option(*([name] if name else []), metavar=metavar, help=words)
    return option


def count_option(words: str, least: int = 1) -> Option:
    """An option that is a whole number."""
    option: Option = typer.Option(metavar="COUNT", min=least, help=words)
    return option


def with_workload_options(command: Command) -> Command:
    """The command with these options behind its own; it takes them by name, as typer hands them over."""
    hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=hints[parameter.name])
        for parameter in inspect.signature(command).parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    texts = [_parameter(name, str | None, None, words, kind) for name, kind, words in TEXTS]
    flags = [_parameter(name, bool, False, words, None) for name, words in FLAGS]
    signature = inspect.Signature([*own, *texts, *flags], return_annotation=None)
    told: Any = command
    told.__signature__ = signature
    told.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    return command


def _parameter(
    name: str, kind: object, default: object, words: str, metavar: str | None
) -> inspect.Parameter:
    option = typer.Option(f"--{name.replace('_', '-')}", metavar=metavar, help=words)
    by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, by_name, default=default, annotation=Annotated[kind, option])
