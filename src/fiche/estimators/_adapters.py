"""Low-rank adapters as PEFT adds them: r x (inputs + outputs) for each targeted matrix (B6).

LoRA and rank-stabilised LoRA add the same tensors; DoRA adds a magnitude for each output. Read in peft
0.21.2: `tuners/lora/layer.py`, `tuners/tuners_utils.py` (which modules a name matches, what all-linear
leaves out), `utils/other.py` (modules_to_save).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.estimators._learned import (
    Learned,
    asked,
    held,
    parameter_bits,
    setting,
    unquantised_bits,
)
from fiche.estimators._reading import stated, word
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Node, either
from fiche.kernel.model import Model, Parameters
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload

ALL_LINEAR = "all-linear"
_PATTERN = re.compile(r"[*+?()\[\]|^$\\]")
# Settings that change which tensors are added, or their shape, by rules that are not here.
_OTHER_RULES = (
    "target_parameters",
    "layers_to_transform",
    "rank_pattern",
    "exclude_modules",
    "trainable_token_indices",
    "layer_replication",
    "megatron_config",
    "use_vera",
    "bias",
)
_MATRICES = ("linear", "expert", "router", "embedding", "position", "head")


def adapters(workload: Workload, model: Model) -> tuple[Learned, ...]:
    """The tensors that an adaptation adds, and a question for each part that no rule here covers."""
    bits = parameter_bits(workload)
    questions = tuple(asked(condition, bits) for condition in _uncovered(workload, model))
    rank = stated(
        workload, "method.rank", "rank", tell("state method.rank, the rank of the adapters")
    )
    low_rank = [
        tensor
        for group in targeted(workload, model)
        for tensor in _pair(group, rank, bits, workload)
    ]
    return (*low_rank, *_saved(workload, model), *questions)


def targeted(workload: Workload, model: Model) -> tuple[Parameters, ...]:
    """The groups of matrices that get an adapter, in the order of the model."""
    targets = workload.method_targets
    return tuple(
        group
        for group in held(model)
        if _module(group)
        and not _within(group, workload.modules_to_save)
        and (_all_linear(group) if _is_all(targets) else _named(group, targets))
    )


def _pair(group: Parameters, rank: Node, bits: Node, workload: Workload) -> Iterator[Learned]:
    """A (rank x inputs) and B (outputs x rank), and a magnitude of the outputs where it is DoRA."""
    outputs, inputs = group.shape
    copies = _copies(group, workload)
    for shape in ((rank, inputs), (outputs, rank)):
        yield Learned(shape=shape, copies=copies, bits=bits, role="adapter", group=group)
    if is_dora(workload):
        width = inputs if group.role in ("embedding", "position") else outputs
        yield Learned(shape=(width,), copies=copies, bits=bits, role="adapter", group=group)
    if setting(workload, "lora_bias") == "yes":
        yield Learned(shape=(outputs,), copies=copies, bits=bits, role="adapter", group=group)


def is_dora(workload: Workload) -> bool:
    """True where the adapters have magnitudes."""
    return word(workload, "method.kind") == "dora" or setting(workload, "use_dora") == "yes"


def _copies(group: Parameters, workload: Workload) -> Node:
    """A router is a linear module in some versions of a model's code, and a bare tensor in others."""
    if group.role != "router":
        return group.copies
    because = tell(
        "{name}: an adapter where the model's code makes it a linear module, else none",
        name=group.name,
    )
    return either(group.copies - group.copies, group.copies, because)


def _saved(workload: Workload, model: Model) -> tuple[Learned, ...]:
    """Modules that are learned whole: a copy beside the frozen one, in the format of the base."""
    names = workload.modules_to_save
    bits = unquantised_bits(workload)
    found = [
        Learned(shape=group.shape, copies=group.copies, bits=bits, role=group.role, group=group)
        for group in held(model)
        if _within(group, names)
    ]
    if model.tied and any(name.endswith("lm_head") for name in names):
        found += [
            Learned(shape=group.shape, copies=group.copies, bits=bits, role="head", group=group)
            for group in held(model)
            if group.role == "embedding" and group.part == "language"
        ]
    return tuple(found)


def _module(group: Parameters) -> str:
    """The module whose weight a group is, empty for a bare tensor (a fused expert) or another shape."""
    is_matrix = group.role in _MATRICES and len(group.shape) == 2
    return (
        group.name.removesuffix(".weight") if is_matrix and group.name.endswith(".weight") else ""
    )


def _all_linear(group: Parameters) -> bool:
    """All linear modules but the output one (`_maybe_include_all_linear_layers`)."""
    return group.role in ("linear", "expert", "router")


def _named(group: Parameters, targets: tuple[str, ...]) -> bool:
    module = _module(group)
    return any(module == target or module.endswith(f".{target}") for target in targets)


def _within(group: Parameters, names: tuple[str, ...]) -> bool:
    """True where a module of one of these names holds the group."""
    parts = group.name.split(".")
    above = [".".join(parts[:end]) for end in range(1, len(parts))]
    return any(path == name or path.endswith(f".{name}") for path in above for name in names)


def _is_all(targets: tuple[str, ...]) -> bool:
    return len(targets) == 1 and targets[0].lower() == ALL_LINEAR


def _uncovered(workload: Workload, model: Model) -> Iterator[Condition]:
    targets = workload.method_targets
    yield from model.open
    if not targets:
        yield _ask(tell("state method.targets: which modules get an adapter"))
    patterns = [target for target in targets if _PATTERN.search(target)]
    if patterns:
        yield _ask(
            tell(
                "name the modules of method.targets: '{patterns}' is a pattern, not a name",
                patterns=patterns[0],
            )
        )
    elif targets and not targeted(workload, model):
        yield _ask(
            tell(
                "check method.targets: the model has no module called '{targets}'",
                targets=targets[0],
            )
        )
    for name in _OTHER_RULES:
        if setting(workload, name) not in ("", "no", "none"):
            yield _ask(
                tell("state method.trainable_parameters: {name} is not covered here", name=name)
            )


def _ask(text: str) -> Condition:
    return Condition(
        topic="trained_parameters",
        text=text,
        supplier=tell("author of the fiche"),
        piece_kind="fiche",
    )
