"""What each group of a model's parameters takes in one format, as named steps (B4).

A *holding* says the bytes of one group, split by step: embedding, linear, experts, head, other, scales, or the
part of the model (vision, prediction, ...). Sums of holdings are weights; `explain` shows the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from fiche.estimators._constants import BITS_PER_BYTE
from fiche.estimators._elements import elements
from fiche.estimators.quantisation._modules import in_bytes, not_covered
from fiche.kernel.doors import Packed, Quantisation
from fiche.kernel.figure import Figure, Node, ceil, either, total
from fiche.kernel.model import Model, Parameters
from fiche.kernel.record import record, replace
from fiche.kernel.said import listed, tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Workload


class Step(NamedTuple):
    """Bytes of a group, or of a part of it: the step they belong to, and words for their format."""

    name: str
    node: Node
    told: str


Steps = tuple[Step, ...]
Holding = Callable[[Parameters], Steps]

_STEPS = {
    "embedding": "embedding",
    "position": "embedding",
    "linear": "linear",
    "expert": "experts",
    "head": "head",
}
_LEFT = tell("unquantised")
# Integers, and what checkpoints and classes keep in fp32 whatever the rest is in: the counts by type that
# a hub prints of DeepSeek-V3 hold the routers' biases among F32, beside the scales of its blocks.
_OTHER_WIDTHS = {
    "position_ids": 64,
    "token_type_ids": 64,
    "e_score_correction_bias": 32,
    "expert_bias": 32,
}
_LABELS = {
    "embedding": tell("embedding"),
    "linear": tell("linear layers"),
    "linear_kept": tell("linear layers that are left as they are"),
    "experts": tell("experts"),
    "experts_kept": tell("experts that are left as they are"),
    "head": tell("output head"),
    "other": tell("norms, biases, routers and other small parameters"),
    "scales": tell("scales, zero points and indices"),
    "prediction": tell("blocks that predict further tokens"),
    "vision": tell("vision"),
    "audio": tell("audio"),
    "encoder": tell("encoder"),
    "projector": tell("projector"),
}


@record(eq=False)
class Sum:
    """Bytes of many groups: each step, and each group whole."""

    steps: Mapping[str, Node]
    groups: tuple[tuple[Parameters, Node], ...]

    @property
    def total(self) -> Figure:
        """All steps together."""
        return total(self.steps.values(), BYTE)


def summed(groups: Iterable[Parameters], holding: Holding, prefix: str) -> Sum:
    """Sum up groups under step names such as `weights.linear`."""
    steps: dict[str, list[Step]] = {}
    pairs: list[tuple[Parameters, Node]] = []
    for group in groups:
        found = holding(group)
        pairs.append((group, _together(found)))
        for step in found:
            steps.setdefault(step.name, []).append(step)
    named = {
        name: _together(parts).named(f"{prefix}.{name}", _words(name, parts))
        for name, parts in steps.items()
    }
    return Sum(steps=named, groups=tuple(pairs))


def plain(bits: Node, told: str) -> Holding:
    """Every value at one width."""
    return lambda group: (Step(step_of(group), _plain_bytes(group, group.copies, bits), told),)


def packed(
    method: Quantisation,
    told: str,
    model: Model,
    workload: Workload,
    bits: Node,
    *,
    dequantised: bool,
) -> Holding:
    """What a method, called `told`, makes of each group; `bits` is the width of what it leaves as it is.

    With `dequantised`, what may be loaded in 16 bits after all is an interval up to that.
    """
    reason = method.dequantised(model, workload) if dequantised else ""

    def holding(group: Parameters) -> Steps:
        parts = method.packed(model, group, workload)
        found = (_steps(group, part, bits, reason, told) for part in parts)
        return tuple(step for steps in found for step in steps)

    return holding


def unpacked(word: str, bits: Node) -> Holding:
    """A method that no member covers: its matrices stay open, never a nominal count of bits (C2)."""
    doubt = not_covered(word)

    def holding(group: Parameters) -> Steps:
        whole = _plain_bytes(group, group.copies, bits)
        if group.role in ("linear", "expert") and len(group.shape) > 1:
            return (Step(step_of(group), whole * 0 + doubt, word),)
        return (Step(step_of(group), whole, _LEFT),)

    return holding


def hull(one: Holding, other: Holding, because: str) -> Holding:
    """Either of two, where what decides is untold or contradicts itself."""

    def holding(group: Parameters) -> Steps:
        first, second = one(group), other(group)
        told = listed(dict.fromkeys(step.told for step in (*first, *second)), " or ")
        hulled = either(_together(first), _together(second), because)
        return (Step(step_of(group), hulled, told),)

    return holding


def step_of(group: Parameters) -> str:
    """The step that a group belongs to: its part where that is not the language part, else its role."""
    if group.part != "language":
        return group.part
    return _STEPS.get(group.role, "other")


def _steps(group: Parameters, part: Packed, bits: Node, reason: str, title: str) -> Steps:
    name = step_of(group)
    left = _plain_bytes(group, part.copies, bits)
    if part.values is None:
        kept = f"{name}_kept" if name in ("linear", "experts") else name
        return (Step(kept, left, _LEFT),)
    values = part.copies * part.values
    beside = None if part.beside is None else part.copies * part.beside
    because = part.or_kept or reason
    if because:
        whole = values if beside is None else values + beside
        return (
            Step(
                name,
                either(whole, left, because),
                tell("{format}, or {other}", format=title, other=_LEFT),
            ),
        )
    scales = () if beside is None else (Step("scales", beside, title),)
    return (Step(name, values, title), *scales)


def _together(steps: Iterable[Step]) -> Figure:
    return total((step.node for step in steps), BYTE)


def _words(name: str, parts: Iterable[Step]) -> str:
    told = listed(dict.fromkeys(part.told for part in parts if part.told), " or ")
    label = _LABELS.get(name, name)
    return tell("{step}: {formats}", step=label, formats=told) if told else label


def _plain_bytes(group: Parameters, copies: Node, bits: Node) -> Figure:
    values = elements(replace(group, copies=copies))
    for ending, width in _OTHER_WIDTHS.items():
        if group.name.endswith(ending):
            return ceil(values * width / BITS_PER_BYTE)
    return ceil(values * bits / BITS_PER_BYTE)


__all__ = ["Holding", "Sum", "hull", "in_bytes", "packed", "plain", "step_of", "summed", "unpacked"]
