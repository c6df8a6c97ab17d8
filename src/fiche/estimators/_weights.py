"""Weights of a model whose files are given: stored, loaded, and what they lie in while they are loaded."""

from __future__ import annotations

from fiche.estimators._constants import BITS_PER_BYTE
from fiche.estimators._formats import is_plain, named_bits, plain_bits
from fiche.estimators._holdings import Sum, plain, summed
from fiche.estimators._reading import word
from fiche.estimators._split import following, placed, split_of, told_cut
from fiche.estimators._tensors_held import (
    embedding_bytes,
    has_head,
    held_by_class,
    plain_type,
    stored_bytes,
    values,
)
from fiche.estimators._treatment import LLAMA_CPP, Treatment, loaded, stored
from fiche.kernel.checkpoint import Checkpoint
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node, Unknown, ceil, either, total
from fiche.kernel.model import Model, Parameters
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Workload

_BUFFERS = tell("buffers that the engine makes beside the parameters (rotary tables, masks)")
_BESIDE = tell(
    "what a checkpoint may hold beside the parameters of its class (a tied head, buffers)"
)
_HOST = tell(
    "llama.cpp keeps the token embedding in host memory unless told otherwise, and puts "
    "a tied one on the device a second time, as output"
)


def of_model(workload: Workload, model: Model) -> Node | None:
    """Bytes of the weights as loaded, on the most loaded device where the placement is told by kind.

    None where the model's files say nothing that can be counted and the fiche states a count.
    """
    if model.checkpoint is not None and not _converted(workload, model, model.checkpoint):
        return _of_tensors(workload, model, model.checkpoint)
    if model.parameters:
        return _of_groups(workload, model)
    if model.checkpoint is not None:
        return _of_values(workload, model.checkpoint)
    return _open(workload, model)


def stored_of(workload: Workload, model: Model) -> Figure | None:
    """Bytes as stored: of the tensors, exact, else of the groups of parameters; None without either."""
    if model.checkpoint is not None:
        return stored_bytes(model.checkpoint)
    if not model.parameters:
        return None
    how = stored(workload, model)
    found = summed(model.parameters, how.holding, "weights_stored")
    held = _with_doubts(model, found.total)
    stored_as = tell("weights as stored: {format}", format=how.told)
    label = stored_as if how.told else tell("weights as stored")
    return held.named("weights_stored", label, left_out=(_BESIDE,))


def on_device(share: Node, whole: Node, how: str = "") -> Node:
    """A share of an item under the id and the words that the whole has; `how` says how it is cut."""
    if share is whole or not isinstance(share, Figure):
        return share
    left_out = whole.left_out if isinstance(whole, Figure) else ()
    label = tell("{item}, on the most loaded device", item=whole.label)
    if how:
        label = tell("{item}, on the most loaded device ({how})", item=whole.label, how=how)
    return share.named(f"{whole.id}.per_device", label, left_out=left_out)


def open_formats(workload: Workload) -> tuple[Condition, ...]:
    """What would silently change the format that the weights are loaded in (B4, D1)."""
    model = workload.model
    if model is None:
        return ()
    ways = (stored(workload, model).method, loaded(workload, model).method)
    found = [each for way in ways if way is not None for each in way.conditions(model, workload)]
    because = loaded(workload, model).because
    if because:
        found.append(_asked(because))
    return tuple(dict.fromkeys(found))


def _asked(text: str) -> Condition:
    return Condition(
        topic="storage_format", text=text, supplier=tell("author of the fiche"), piece_kind="fiche"
    )


def _open(workload: Workload, model: Model) -> Node | None:
    if "model.parameters" in workload.figures or not model.open:
        return None
    return Unknown(condition=model.open[0], unit=BYTE, id="weights", label=tell("weights"))


def _converted(workload: Workload, model: Model, checkpoint: Checkpoint) -> bool:
    """True where another format is loaded than the one stored: the fiche says so, or llama.cpp needs a GGUF."""
    named = word(workload, "engine.name").lower()
    if named in LLAMA_CPP and checkpoint.format != "gguf" and model.parameters:
        return True
    said = word(workload, "formats.loaded")
    if not said:
        return False
    if is_plain(said) and plain_type(checkpoint):
        return said != plain_type(checkpoint)
    if not model.parameters:
        return said != word(workload, "formats.storage") and is_plain(said)
    kept, other = stored(workload, model), loaded(workload, model)
    return (kept.method, kept.told) != (other.method, other.told)


def _of_tensors(workload: Workload, model: Model, checkpoint: Checkpoint) -> Node:
    whole = stored_bytes(checkpoint)
    if checkpoint.format == "gguf":
        return _followed(
            workload,
            _on_llama_cpp(workload, checkpoint, whole),
            tell("weights, as the file has them"),
        )
    held, left = held_by_class(model, checkpoint, whole)
    held = _or_otherwise(workload, model, checkpoint, held)
    return _followed(workload, held, tell("weights, from the tensors"), (*left, _BUFFERS))


def _or_otherwise(workload: Workload, model: Model, checkpoint: Checkpoint, held: Figure) -> Figure:
    """A range where the engine may load another format than the stored one, and nobody says which."""
    if word(workload, "formats.loaded") or not model.parameters:
        return held
    kind = plain_type(checkpoint)
    how = loaded(workload, model)
    if kind and model.storage and kind != model.storage and is_plain(model.storage):
        by_config = plain(plain_bits(model.storage, "config.json"), model.storage)
        other = summed(_loaded_groups(model), by_config, "weights.as_config")
        because = tell(
            "tensors are {kind}, config.json says {storage}: state formats.loaded",
            kind=kind,
            storage=model.storage,
        )
        return either(held, other.total, because)
    if not how.because:
        return held
    bits = how.bits if how.otherwise is None else how.otherwise
    other = summed(_loaded_groups(model), plain(bits, ""), "weights.otherwise")
    return either(held, other.total, how.because)


def _of_groups(workload: Workload, model: Model) -> Node:
    how = loaded(workload, model)
    found = summed(_loaded_groups(model), how.holding, "weights")
    label = tell("weights, by the modules of {model}", model=model.model_type)
    if how.told:
        modules = model.model_type
        label = tell("weights, by the modules of {model}: {format}", model=modules, format=how.told)
    if how.gguf:
        return _of_gguf(workload, model, found, label)
    whole = _with_doubts(model, found.total)
    weights = whole.named("weights", label, left_out=(_BUFFERS,))
    split = split_of(workload)
    if split is None:
        return weights
    share = _with_doubts(model, placed(found.groups, model, split, "weights.per_device"))
    return on_device(share, weights, told_cut(model, split))


def _with_doubts(model: Model, held: Node) -> Figure:
    """An open end for each thing of the configuration that was not understood: fail closed (C2)."""
    doubts = [Unknown(condition=condition, unit=BYTE) for condition in model.open]
    return total((held, *doubts), BYTE)


def _loaded_groups(model: Model) -> tuple[Parameters, ...]:
    return tuple(each for each in model.parameters if each.loaded)


def _of_values(workload: Workload, checkpoint: Checkpoint) -> Node:
    bits = named_bits(workload, "loaded", "storage_format")
    weights = ceil(values(checkpoint) * bits / BITS_PER_BYTE)
    label = tell("weights, as really loaded: {format}", format=word(workload, "formats.loaded"))
    return _followed(workload, weights, label, (_BUFFERS,))


def _on_llama_cpp(workload: Workload, checkpoint: Checkpoint, whole: Figure) -> Figure:
    embedding = embedding_bytes(checkpoint)
    if embedding is None or not _llama_cpp(workload):
        return whole
    return _host_or_device(whole, embedding, whole - embedding, tied=not has_head(checkpoint))


def _of_gguf(workload: Workload, model: Model, found: Sum, label: str) -> Node:
    whole, embedding = _with_doubts(model, found.total), found.steps.get("embedding")
    if embedding is not None and _llama_cpp(workload):
        rest = [step for name, step in found.steps.items() if name != "embedding"]
        without = _with_doubts(model, total(rest, BYTE))
        whole = _host_or_device(whole, embedding, without, tied=model.tied)
    return _followed(workload, whole, label)


def _host_or_device(
    whole: Figure, embedding: Node, without: Figure, *, tied: bool | None
) -> Figure:
    """Between what stays `without` an embedding in host memory, and a tied one held twice."""
    low = whole if tied else without
    high = whole if tied is False else whole + embedding
    return either(low, high, _HOST)


def _llama_cpp(workload: Workload) -> bool:
    return word(workload, "engine.name").lower() in ("", *LLAMA_CPP)


def _followed(
    workload: Workload, weights: Figure, label: str, left_out: tuple[str, ...] = ()
) -> Node:
    named = weights.named("weights", label, left_out=left_out)
    split, model = split_of(workload), workload.model
    if split is None:
        return named
    if model is None or not model.parameters:
        return on_device(following(named, split, "weights"), named)
    # Tensors are matched to no group here: they are cut in the proportion that their class is.
    groups = summed(_loaded_groups(model), loaded(workload, model).holding, "weights.placed")
    share = ceil(named * (placed(groups.groups, model, split, "weights.per_device") / groups.total))
    return on_device(share, named, told_cut(model, split))


__all__ = ["Treatment", "of_model", "on_device", "open_formats", "stored_of"]
