"""Linear modules of a group of parameters, and what a method's skip lists leave of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from fiche.estimators._constants import BITS_PER_BYTE
from fiche.estimators._reading import word
from fiche.estimators.quantisation._patterns import Patterns, named, patterns
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Packed
from fiche.kernel.figure import Figure, Node, Operand, Unknown, ceil
from fiche.kernel.model import Model, Parameters
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Workload

_IN_CHECKPOINTS = ("linear", "expert", "head")
# transformers 5.24 holds these experts as (experts, inputs, outputs): their class reads them untransposed.
_INPUTS_FIRST = ("gpt_oss", "openai_privacy_filter", "aria_text", "llama4_text")
# Checkpoints of these hold all experts of a layer in one tensor; others hold a module an expert.
FUSED_IN_FILES = ("gpt_oss", "openai_privacy_filter", "aria_text", "llama4_text", "granitemoe")
_KEYS = ("quantization_config", "compression_config")
_GATE_AND_UP = "gate_up_proj"
_EXPERT_NAMES = ("gate_proj", "up_proj", "w1", "w3")


class Linear(NamedTuple):
    """The linear modules in one tensor: how many, and outputs x inputs of each."""

    modules: Node | int
    outputs: Node
    inputs: Node

    @property
    def values(self) -> Node:
        """Values of all of them."""
        return self.modules * self.outputs * self.inputs


def linear_of(model: Model, group: Parameters, *, head: bool = False) -> Linear | None:
    """The linear modules of one tensor of a group, as checkpoints hold them; None where it is none.

    Biases, norms, embeddings, routers and convolutions are none. `head` lets the output embedding in.
    """
    if group.role not in _IN_CHECKPOINTS or (group.role == "head" and not head):
        return None
    if group.role != "expert":
        return Linear(1, *group.shape) if len(group.shape) == 2 else None
    if len(group.shape) == 2:
        return Linear(1, *group.shape) if "bias" not in group.name.rsplit(".", 1)[-1] else None
    return _experts(model, group) if len(group.shape) == 3 else None


def _experts(model: Model, group: Parameters) -> Linear:
    experts, first, second = group.shape
    types = _types(model)
    outputs, inputs = (second, first) if types.intersection(_INPUTS_FIRST) else (first, second)
    if group.name.endswith(_GATE_AND_UP) and not types.intersection(FUSED_IN_FILES):
        return Linear(experts * 2, outputs / 2, inputs)
    return Linear(experts, outputs, inputs)


def _types(model: Model) -> set[str]:
    types = {model.model_type}
    text = None if model.config is None else model.config.part("text_config")
    return types if text is None else {*types, text.model_type}


def fused(model: Model, group: Parameters) -> bool:
    """True when the class of transformers 5 holds this group as one tensor of all experts."""
    return group.role == "expert" and len(group.shape) == 3


def settings(model: Model) -> Config | None:
    """What config.json says of the quantisation of the checkpoint, None where it says nothing."""
    if model.config is None:
        return None
    found = model.config.part(*_KEYS)
    if found is None and (text := model.config.part("text_config")) is not None:
        found = text.part(*_KEYS)
    # It has no class of its own: what it does not say has no default to look for.
    return None if found is None else replace(found, classes={})


def listed(told: Config | None, *keys: str, shell: bool = False) -> Patterns | None:
    """The modules that a list of the configuration names, None where there is no such list."""
    found = None if told is None else told.listed(*keys)
    return None if found is None else patterns(found, shell=shell)


def split(
    group: Parameters, kept: Patterns | None, values: Node, beside: Node | None
) -> tuple[Packed, ...]:
    """The group in two parts: what the list leaves as it is, and the rest."""
    if kept is None:
        return (Packed(copies=group.copies, values=values, beside=beside),)
    if kept.refused:
        values = _unread(kept.refused[0])
    share = left_share(group, kept)
    if share == 1:
        return (Packed(copies=group.copies),)
    if share == 0:
        return (Packed(copies=group.copies, values=values, beside=beside),)
    rest = Packed(copies=group.copies * (1 - share), values=values, beside=beside)
    return (Packed(copies=group.copies * share), rest)


def left_share(group: Parameters, kept: Patterns) -> Fraction:
    """The part of a group's layers whose module is named."""
    return Fraction(len(named_layers(group, kept)), len(group.layers) or 1)


def named_layers(group: Parameters, among: Patterns) -> frozenset[int]:
    """The layers of a group whose module is named; 0 stands for a group outside any layer."""
    layers = group.layers or (0,)
    return frozenset().union(*(named(name, layers, among) for name in _modules(group)))


def untouched(group: Parameters) -> tuple[Packed, ...]:
    """The group as it is: no part of it is what the method packs."""
    return (Packed(copies=group.copies),)


def _modules(group: Parameters) -> Iterator[str]:
    """The names that lists may call a group's module by, `*` for the layer and 0 for the first expert."""
    head, star, tail = group.name.removesuffix(".weight").partition("*")
    name = head + star + tail.replace("*", "0")
    yield name
    if group.role == "expert" and ".experts." in f"{name}.":
        stem = name[: name.rindex("experts") + len("experts")]
        last = name.rsplit(".", 1)[-1]
        for each in _EXPERT_NAMES if last == _GATE_AND_UP else (last, "w2"):
            yield f"{stem}.0.{each}"


def in_bytes(bits: Operand) -> Figure:
    """Whole bytes of so many bits."""
    return ceil(bits / BITS_PER_BYTE)


def unknown(topic: str, text: str, name: str = "") -> Unknown:
    """Bytes that cannot be computed, with what would settle them."""
    condition = Condition(
        topic=topic, text=text, supplier=tell("author of the fiche"), piece_kind="config.json"
    )
    return Unknown(condition=condition, unit=BYTE, id=name, label=topic)


def not_covered(method: str, detail: str = "") -> Unknown:
    """A layout that is not known here: the file's own tensors say it."""
    what = f"{method}, {detail}" if detail else method
    return unknown(
        "storage_format",
        tell("give the tensors: the layout of {what} is not covered here", what=what),
    )


def yes_or_no(workload: Workload, model: Model, key: str) -> bool | None:
    """A switch: `engine.settings.<key>` of the fiche first, then the configuration; None untold."""
    said = word(workload, f"engine.settings.{key}")
    if said in ("yes", "true", "True"):
        return True
    if said in ("no", "false", "False"):
        return False
    told = settings(model)
    return None if told is None else told.flag(key)


def engine_is(workload: Workload, *names: str) -> bool:
    """True when the fiche states one of these engines."""
    return word(workload, "engine.name").lower() in names


def _unread(pattern: str) -> Unknown:
    text = tell(
        "give the tensors: whether '{pattern}' names a module is not worked out here",
        pattern=pattern,
    )
    return unknown("storage_format", text)
