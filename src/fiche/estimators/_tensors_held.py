"""Bytes of a checkpoint's tensors, and what of them an engine's class leaves out (weights, order a)."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.estimators._formats import BITS, is_plain
from fiche.estimators._stored import Explained, explain
from fiche.kernel.address import Pointer
from fiche.kernel.checkpoint import Checkpoint, TensorGroup
from fiche.kernel.figure import Figure, either, total
from fiche.kernel.model import Model
from fiche.kernel.origin import Declared
from fiche.kernel.said import tell
from fiche.kernel.spoken import spoken
from fiche.kernel.unit import BYTE, count_of

_WORDS = {"F64": "fp64", "F32": "fp32", "F16": "fp16", "BF16": "bf16"}
_NO_BUFFERS = tell("whether the engine holds these beside its parameters is not known")
_EMBEDDING, _HEAD = "token_embd.weight", "output.weight"


def stored_bytes(checkpoint: Checkpoint) -> Figure:
    """All tensors, exact, one step a type."""
    types = sorted({group.dtype for group in checkpoint.groups})
    steps = [
        _declared(
            checkpoint,
            f"weights_stored.{dtype.lower()}",
            tell("tensors of type {dtype}", dtype=dtype),
            held,
        )
        for dtype in types
        if (held := [each for each in checkpoint.groups if each.dtype == dtype])
    ]
    label = tell("weights as stored: every tensor that {file} lists", file=checkpoint.file)
    return total(steps, BYTE).named("weights_stored", label)


def held_by_class(
    model: Model, checkpoint: Checkpoint, stored: Figure
) -> tuple[Figure, tuple[str, ...]]:
    """What a class holds of the stored tensors, and words for what is not settled."""
    found = explain(model)
    if found is None or found.loaded is None:
        return stored, (tell("what the engine leaves out or adds: config.json is not given"),)
    held, left = stored, []
    off, may = _lines(found, False), _lines(found, None)
    if off:
        held = held - _sum(checkpoint, "weights.left_out", tell("stored, and not loaded"), off)
    if may:
        extra = _sum(
            checkpoint, "weights.buffers", tell("stored, and no parameter of the class"), may
        )
        held = held - either(extra * 0, extra, _NO_BUFFERS)
    for line in found.lines:
        if line.kind == "missing":
            left.append(f"{', '.join(line.names[:3])}: {line.text}")
    return held, tuple(left)


def embedding_bytes(checkpoint: Checkpoint) -> Figure | None:
    """The token embedding of a GGUF file, None where it names none."""
    found = [group for group in checkpoint.groups if group.name == _EMBEDDING]
    return (
        _declared(checkpoint, "weights.embedding", tell("token embedding"), found)
        if found
        else None
    )


def has_head(checkpoint: Checkpoint) -> bool:
    """True where a GGUF file has an output matrix of its own."""
    return any(group.name == _HEAD for group in checkpoint.groups)


def plain_type(checkpoint: Checkpoint) -> str:
    """The one type of all floating tensors as fiche calls it; empty where there are several, or packed ones."""
    words = {_WORDS.get(group.dtype, "") for group in checkpoint.groups if group.dtype[0] != "I"}
    word = words.pop() if len(words) == 1 else ""
    return word if word in BITS and is_plain(word) else ""


def values(checkpoint: Checkpoint) -> Figure:
    """Elements of all floating tensors."""
    count = 0
    for group in checkpoint.groups:
        if group.dtype in _WORDS:
            product = group.count
            for side in group.shape:
                product *= side
            count += product
    return _leaf(
        checkpoint, "weights.values", tell("values of all tensors"), count, unit_of_bytes=False
    )


def _lines(found: Explained, loaded: bool | None) -> dict[str, int]:
    kinds: dict[str, int] = {}
    for line in found.lines:
        if line.loaded is loaded and line.num_bytes and line.kind != "missing":
            kinds[line.kind] = kinds.get(line.kind, 0) + line.num_bytes
    return kinds


def _sum(checkpoint: Checkpoint, name: str, label: str, kinds: dict[str, int]) -> Figure:
    steps = [
        _leaf(checkpoint, f"{name}.{kind}", spoken(kind), count) for kind, count in kinds.items()
    ]
    return total(steps, BYTE).named(name, label)


def _declared(
    checkpoint: Checkpoint, name: str, label: str, groups: Iterable[TensorGroup]
) -> Figure:
    return _leaf(checkpoint, name, label, sum(each.count * each.num_bytes for each in groups))


def _leaf(
    checkpoint: Checkpoint, name: str, label: str, count: int, *, unit_of_bytes: bool = True
) -> Figure:
    place = Pointer(sha256=checkpoint.sha256, path=label, text=str(count))
    return Figure(
        low=count,
        high=count,
        unit=BYTE if unit_of_bytes else count_of("values"),
        origin=Declared(address=place, by=checkpoint.file, printed=str(count)),
        id=name,
        label=label,
    )
