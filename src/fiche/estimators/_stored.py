"""Why a checkpoint holds other numbers of values than the class that loads it (weights: stored and loaded).

Both sides are lists of tensors: those that the configuration's class has, and those that the headers list.
They are matched by name, then under the names that older releases and packed formats use, then by
role where a file splits or fuses what the class holds otherwise. What is left is explained by the kind of
tensor that its name speaks of, or is plainly unexplained. Nothing here enters a sum: this is text about two
numbers, so it may compare them. Sources: truth cases 023, 027, 030, 031 and 036 of the weights; formula
sheet 2.1 (ties, blocks that predict further tokens) and 2.4 (scales, packed values, second copies).
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.estimators._matched import Match, Pair, matched
from fiche.estimators._tensor_names import (
    is_buffer,
    is_embedding,
    is_head,
    is_other_head,
    is_prediction,
    is_scale,
)
from fiche.kernel.checkpoint import Checkpoint, TensorGroup
from fiche.kernel.model import Model
from fiche.kernel.record import record

_SHOWN = 6
_PREDICTS = "of blocks that predict further tokens: the class leaves them out"
_PREDICTING = ("num_nextn_predict_layers", "num_mtp_layers", "mtp_num_hidden_layers")


@record
class Line:
    """One reason why the two counts differ.

    `values` are stored less loaded: above zero where the files hold more. `num_bytes` are the bytes of the
    stored tensors concerned. `kind`: same (held otherwise, as many values), packed, scales, tied_head,
    copy, buffer, prediction, other_head, left_out, layers, missing, shape, unexplained. `loaded` says
    whether a class holds these tensors at all: None where it depends on the library's release.
    """

    kind: str
    values: int
    num_bytes: int
    names: tuple[str, ...]
    text: str
    loaded: bool | None = None


@record
class Explained:
    """Stored and loaded counts of values, and the lines whose sum is their difference.

    `stored` counts the elements of all tensors as the headers list them (None where the headers list bytes
    only, as those of torch.save do), `num_bytes` their bytes. `loaded` is what the class holds; None where
    the configuration leaves a dimension open, or is not there. Without either of them there are no lines.
    """

    stored: int | None
    num_bytes: int
    loaded: int | None
    lines: tuple[Line, ...] = ()

    @property
    def unexplained(self) -> tuple[Line, ...]:
        """The lines that no rule accounts for."""
        return tuple(
            line for line in self.lines if line.kind in ("unexplained", "missing", "shape")
        )


def explain(model: Model) -> Explained | None:
    """What a model's tensors hold beside what its class holds; None without tensors."""
    checkpoint = model.checkpoint
    if checkpoint is None:
        return None
    stored, num_bytes = stored_values(checkpoint), stored_bytes(checkpoint)
    found = None if stored is None else matched(model.parameters, checkpoint.groups)
    if found is None:
        return Explained(stored=stored, num_bytes=num_bytes, loaded=None)
    lines = (*_paired(found), *_extra(model, found), *_missing(found))
    return Explained(stored=stored, num_bytes=num_bytes, loaded=found.loaded, lines=lines)


def stored_values(checkpoint: Checkpoint) -> int | None:
    """Elements of all tensors, as the headers list them: packed ones count as they are packed.

    None where the headers list storages without format and shape.
    """
    if any(not group.dtype for group in checkpoint.groups):
        return None
    return sum(values_of(group) for group in checkpoint.groups)


def stored_bytes(checkpoint: Checkpoint) -> int:
    """Bytes of all tensors, headers left out."""
    return sum(group.count * group.num_bytes for group in checkpoint.groups)


def values_of(group: TensorGroup) -> int:
    """Elements of all tensors of a group."""
    product = group.count
    for side in group.shape:
        product *= side
    return product


def _paired(found: Match) -> Iterable[Line]:
    for pair in found.pairs:
        line = _pair_line(pair)
        if line is not None:
            yield line


def _pair_line(pair: Pair) -> Line | None:
    """What a parameter and the tensors of its name say of each other; None where they agree."""
    names = tuple(group.name for group in pair.groups)
    stored = sum(values_of(group) for group in pair.groups)
    kind, text = _difference(pair, stored)
    if not kind:
        return None
    return Line(
        kind=kind,
        values=stored - pair.loaded,
        num_bytes=_bytes_of(pair, kind),
        names=names,
        text=text,
        loaded=kind not in ("left_out", "prediction"),
    )


def _bytes_of(pair: Pair, kind: str) -> int:
    """Bytes of the tensors that a line is about: those of further layers only, where it is about these."""
    if pair.left_out or kind != "prediction":
        return sum(group.count * group.num_bytes for group in pair.groups)
    extra = set(pair.extra_layers)
    return sum(
        group.count * group.num_bytes * len(extra & set(group.layers)) // len(group.layers)
        for group in pair.groups
        if group.layers
    )


def _difference(pair: Pair, stored: int) -> tuple[str, str]:
    if pair.buffer:
        return "buffer", "held by the class as a buffer, no parameter"
    if pair.left_out:
        kind = "prediction" if pair.part == "prediction" else "left_out"
        return kind, _PREDICTS if kind == "prediction" else "stored, and left out by the class"
    if stored == pair.values:
        if stored == pair.loaded:
            return ("same", pair.how) if pair.how else ("", "")
        return "prediction", _PREDICTS
    if pair.packed:
        return "packed", "several values in each stored element"
    return "shape", f"{stored} values are stored where the class holds {pair.values}"


def _extra(model: Model, found: Match) -> Iterable[Line]:
    """Stored tensors that no parameter of the class accounts for."""
    kinds: dict[tuple[str, str, bool | None], list[TensorGroup]] = {}
    for group in found.groups:
        kinds.setdefault(_kind(model, found, group), []).append(group)
    if found.behind:
        kinds.setdefault(_behind(model, found), []).extend(found.behind)
    for (kind, text, loaded), groups in kinds.items():
        yield Line(
            kind=kind,
            values=sum(values_of(group) for group in groups),
            num_bytes=sum(group.count * group.num_bytes for group in groups),
            names=tuple(group.name for group in groups),
            text=text,
            loaded=loaded,
        )


def _kind(model: Model, found: Match, group: TensorGroup) -> tuple[str, str, bool | None]:
    name = group.name
    if is_scale(name):
        return "scales", "scales, zero points and indices of packed values", True
    if is_buffer(name):
        return "buffer", "a buffer, no parameter: frequencies, position ids, masks, counters", None
    if is_prediction(name):
        return "prediction", _PREDICTS, False
    if is_head(name) and group.shape in found.embeddings and not found.has_head:
        why = "a second copy of the embedding: the head is tied to it, and loaded once"
        return "tied_head", why, False
    if is_embedding(name) and group.shape in found.embeddings:
        return "copy", "a second copy of an embedding: the class holds it once", False
    if is_other_head(name):
        named = model.architecture or f"the class of {model.model_type}"
        return "other_head", f"of a head that {named} does not have", False
    return "unexplained", "no tensor of the class accounts for it", None


def _behind(model: Model, found: Match) -> tuple[str, str, bool | None]:
    """Layers behind the last one: blocks that predict further tokens where anything speaks of them."""
    told = model.config is not None and any(model.config.whole(key) for key in _PREDICTING)
    if told or any(is_prediction(group.name) for group in (*found.behind, *found.groups)):
        return "prediction", _PREDICTS, False
    layers = sorted({layer for group in found.behind for layer in group.layers})
    listed = ", ".join(str(layer) for layer in layers[:_SHOWN])
    return "layers", f"stored layers that are none of the class's ({listed})", False


def _missing(found: Match) -> Iterable[Line]:
    for kind, held in found.missing:
        yield Line(
            kind="missing",
            values=-sum(values for _, values in held),
            num_bytes=0,
            names=tuple(name for name, _ in held),
            text=f"the class holds them, and the files do not ({kind})",
            loaded=True,
        )


def listed(names: tuple[str, ...]) -> str:
    """Some of the names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
