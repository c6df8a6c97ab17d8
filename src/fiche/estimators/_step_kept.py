"""What a step keeps for its backward pass, over all layers and tokens, as bounds (B6, formula sheet 2.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.estimators._adapters import is_dora, targeted
from fiche.estimators._amounts import each, nothing
from fiche.estimators._layer_kept import (
    FLASH,
    Step,
    adapter,
    covered,
    fused,
    least,
    most,
    norm,
    overlap,
)
from fiche.estimators._learned import ADAPTERS, parameter_bits, setting
from fiche.estimators._reading import dimension, missing, qualified, stated, word
from fiche.estimators._states import MEGATRON, engine_of
from fiche.estimators._widths_kept import widths
from fiche.kernel.figure import Figure, Node, larger, total
from fiche.kernel.model import Block, CrossCache, Model
from fiche.kernel.said import listed, tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

# Programs that run the modules of transformers as they are.
_PLAIN_MODULES = (
    "transformers",
    "peft",
    "trl",
    "axolotl",
    "llama-factory",
    "llamafactory",
    "deepspeed",
)
_DROPOUTS = (
    "attention_dropout",
    "attn_pdrop",
    "attention_probs_dropout_prob",
    "dropout",
    "attn_dropout",
)


def tokens(case: Case | None) -> Figure:
    """Tokens of one microbatch: sequences x tokens of a sequence, as executed."""
    microbatch = dimension(
        case, "microbatch", "microbatch", tell("state microbatch: sequences at a time")
    )
    counted = microbatch * sequence(case)
    return counted.named(qualified(case, "microbatch_tokens"), tell("tokens of one microbatch"))


def sequence(case: Case | None) -> Node:
    """Tokens of one sequence, as executed after padding."""
    text = tell("state sequence_tokens: tokens of one sequence, padding included")
    return dimension(case, "sequence_tokens", "context", text)


def step_of(workload: Workload, model: Model, case: Case | None) -> Step:
    """What decides how much each layer keeps."""
    told = [] if model.config is None else [model.config.value(name) for name in _DROPOUTS]
    return Step(
        widths=widths(workload),
        attention=word(workload, "attention").lower(),
        sequence=sequence(case),
        frozen=is_frozen(workload),
        attention_dropout=not any(value == 0 for value in told if value is not None),
        dropout=not model.model_type.startswith(_WITHOUT_DROPOUT),
    )


_WITHOUT_DROPOUT = ("llama", "mistral", "mixtral", "qwen", "gemma", "deepseek", "olmo", "gpt_oss")


def is_frozen(workload: Workload) -> bool:
    """True where the base is frozen in 16 or 4 bits; 8-bit matrices keep their inputs all the same."""
    base = word(workload, "formats.loaded") or word(workload, "formats.storage")
    return word(workload, "method.kind") in ADAPTERS and base != "int8"


def fewest(workload: Workload, model: Model, step: Step) -> Figure:
    """Bytes a token that all layers must keep; below the lowest adapter nothing has to be kept."""
    parts = [_counted(block, workload) * least(block, model, step) for block in model.blocks]
    return total(parts, BYTE)


def _counted(block: Block, workload: Workload) -> Node:
    adapted = word(workload, "method.kind") in ADAPTERS
    if setting(workload, "layers_to_transform") or (adapted and not block.layers):
        return block.count - block.count
    return block.count - 1 if adapted and 0 in block.layers else block.count


def inputs_of_layers(model: Model, width: Figure) -> Figure:
    """Bytes a token of the inputs of all layers: what full checkpointing keeps."""
    return total((block.count * block.hidden * width for block in model.blocks), BYTE)


def greatest(workload: Workload, model: Model, step: Step) -> Figure:
    """Bytes a token that all layers keep in plain modules; open where a kind of layer has no formula."""
    parts = [block.count * layer(block, workload, model, step) for block in model.blocks]
    return total((*parts, *strange(workload, model)), BYTE)


def layer(block: Block, workload: Workload, model: Model, step: Step) -> Figure:
    """Bytes a token of one layer with its adapters."""
    if engine_of(workload) in MEGATRON:
        return total((fused(block, step),), BYTE)
    adapts = word(workload, "method.kind") in ADAPTERS
    found = _adapters(block, workload, model) if adapts else ()
    return total((most(block, model, step), *found), BYTE)


def _adapters(block: Block, workload: Workload, model: Model) -> Iterator[Node]:
    rank = stated(
        workload, "method.rank", "rank", tell("state method.rank, the rank of the adapters")
    )
    bits = parameter_bits(workload)
    dropout = setting(workload, "lora_dropout").strip("0.") != ""
    for group in targeted(workload, model):
        if not overlap(group, block):
            continue
        outputs, inputs = group.shape
        kept: Node = adapter(inputs, rank, bits, dropout=dropout)
        if is_dora(workload):
            kept = kept + (each(bits) + widths(workload).most) * outputs
        seen = block.experts_used if group.role == "expert" else None
        yield kept if seen is None else kept * seen


def beside_layers(model: Model, step: Step, tokens_: Figure) -> Figure:
    """Bytes of what is kept outside the layers: last norm and its output, rotary tables, attention masks."""
    parts: list[Node] = []
    if model.hidden is not None:
        parts.append(
            (norm(model.hidden, None, model, step) + step.widths.most * model.hidden) * tokens_
        )
    parts += [_rotary(block) * step.widths.most * 2 * tokens_ for block in model.blocks[:1]]
    if step.attention not in FLASH:
        parts.append(step.widths.most * 2 * tokens_ * step.sequence)
    return total(parts, BYTE)


def _rotary(block: Block) -> Node:
    return block.hidden if block.query is None or block.heads is None else block.query / block.heads


def strange(workload: Workload, model: Model) -> Iterable[Node]:
    """One question for the program, the kinds of layer and the model that have no formula, if any."""
    found = tuple(_strange(workload, model))
    if found:
        text = tell(
            "measure forward and backward: what {parts} keeps is in no formula here",
            parts=listed(found),
        )
        yield missing("layers_kept", BYTE, "need", text)


def _strange(workload: Workload, model: Model) -> Iterator[str]:
    engine = engine_of(workload)
    if engine not in _PLAIN_MODULES and engine not in MEGATRON:
        yield tell("a layer under {engine}", engine=engine or tell("an engine that is not named"))
    kinds = {block.kind for block in model.blocks if not covered(block, model)}
    for kind in sorted(kinds):
        yield tell(
            "a layer of kind {kind} of {model_type}",
            kind=kind,
            model_type=model.model_type or tell("this model"),
        )
    if any(isinstance(cache, CrossCache) for cache in model.caches):
        yield tell("an encoder and a decoder that reads it")


def largest_layer(parts: Iterable[Node]) -> Figure:
    """The largest of the layers' amounts."""
    result: Figure = nothing()
    for part in parts:
        result = larger(result, part)
    return result
