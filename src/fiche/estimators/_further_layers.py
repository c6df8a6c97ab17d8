"""Stored layers behind the last one of the class: told apart before tensors are matched.

DeepSeek-V3, GLM-4.5 and others store the block that predicts further tokens as one more layer, under the very
names that the other layers have (`model.layers.61.mlp...`), so that one group of tensors holds both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fiche.estimators._tensor_names import held_name, plain_name
from fiche.kernel.checkpoint import TensorGroup
from fiche.kernel.model import Parameters
from fiche.kernel.record import replace


def divided(
    parameters: Iterable[Parameters], groups: Sequence[TensorGroup]
) -> tuple[tuple[TensorGroup, ...], tuple[TensorGroup, ...]]:
    """Groups of the class's own layers, and those of layers behind them; no tensor is lost."""
    last = last_layers(parameters)
    inside: list[TensorGroup] = []
    behind: list[TensorGroup] = []
    for group in groups:
        own, further = _parts(group, last.get(_stack(held_name(group.name))))
        inside += own
        behind += further
    return tuple(inside), tuple(behind)


def last_layers(parameters: Iterable[Parameters]) -> Mapping[str, int]:
    """The last layer of each stack of layers that the class has, by what stands before its number."""
    last: dict[str, int] = {}
    for each in parameters:
        if each.layers and "*" in each.name:
            stack = _stack(each.name)
            last[stack] = max(last.get(stack, 0), *each.layers)
    return last


def lies_behind(group: TensorGroup, last: Mapping[str, int]) -> bool:
    """True for tensors all of whose layers come after the last one of their stack."""
    end = last.get(_stack(held_name(group.name)))
    return end is not None and bool(group.layers) and min(group.layers) > end


def _stack(name: str) -> str:
    before, star, _ = plain_name(name).partition("*")
    return before if star else ""


def _parts(
    group: TensorGroup, last: int | None
) -> tuple[tuple[TensorGroup, ...], tuple[TensorGroup, ...]]:
    further = tuple(layer for layer in group.layers if last is not None and layer > last)
    if not further:
        return (group,), ()
    own = group.layers[: len(group.layers) - len(further)]
    if not own:
        return (), (group,)
    if group.count % len(
        group.layers
    ):  # not as many in each layer: nobody can tell which are where
        return (group,), ()
    each = group.count // len(group.layers)
    return (
        (replace(group, layers=own, count=each * len(own)),),
        (replace(group, layers=further, count=each * len(further)),),
    )
