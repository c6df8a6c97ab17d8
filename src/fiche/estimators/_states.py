"""Formats of what a training keeps beside its weights: gradients, states, master copies (formula sheet 2.5).

Megatron keeps gradients and master weights in fp32 beside 16-bit weights (18 bytes a parameter), DeepSpeed a
master copy in fp32 (ZeRO); plain PyTorch keeps gradients and moments in the format of the parameter.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.estimators._amounts import bytes_of, narrower, nothing
from fiche.estimators._formats import BITS, plain_bits, value_bits
from fiche.estimators._learned import Learned
from fiche.estimators._optimizers import Optimizer, optimizer_of
from fiche.estimators._reading import stated, word
from fiche.estimators._trained import learned
from fiche.kernel.figure import Figure, Node, larger, total
from fiche.kernel.said import tell
from fiche.kernel.trace import conditions
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Workload

MEGATRON = ("megatron", "megatron-lm", "megatron-core", "nemo", "megatron-bridge")
DEEPSPEED = ("deepspeed",)
_OFFLOADED = ("optimizer", "all")


def engine_of(workload: Workload) -> str:
    """The engine's name in lower case, empty where it is untold."""
    return word(workload, "engine.name").lower()


def gradient_bytes(workload: Workload) -> Figure:
    """All gradients at once: learned values in `formats.gradient`, else in the format that the rule gives."""
    tensors = learned(workload)
    return total((_gradient(tensor, workload) for tensor in tensors), BYTE)


def _gradient(tensor: Learned, workload: Workload) -> Node:
    if _told(workload, "gradient") or conditions(tensor.bits):
        return bytes_of(tensor.all_values, value_bits(workload, "gradient", "gradient_format"))
    if engine_of(workload) in MEGATRON:
        because = tell("Megatron accumulates gradients in fp32 (distributed optimizer: 18 bytes)")
        return bytes_of(tensor.all_values, plain_bits("fp32", because))
    return bytes_of(tensor.all_values, tensor.bits)


def in_the_host(workload: Workload) -> bool:
    """True where the placement keeps optimizer states in the host's memory."""
    return word(workload, "placement.offload") in _OFFLOADED


def master_known(workload: Workload) -> bool:
    """True where a master copy is an item of its own."""
    return _told(workload, "master") or holds_master(workload)


def state_bytes(workload: Workload) -> Figure:
    """All optimizer states: stated values for each parameter and their format, else those of the rule."""
    if in_the_host(workload):
        return nothing()
    optimizer = optimizer_of(workload)
    if optimizer is None or "optimizer.states_per_parameter" in workload.figures:
        return total((_by_count(tensor, workload, optimizer) for tensor in learned(workload)), BYTE)
    return total((_by_rule(tensor, workload, optimizer) for tensor in learned(workload)), BYTE)


def _by_count(tensor: Learned, workload: Workload, optimizer: Optimizer | None) -> Node:
    states = stated(
        workload,
        "optimizer.states_per_parameter",
        "optimizer_states",
        tell("state optimizer.states_per_parameter: values kept for each learned parameter"),
    )
    return bytes_of(tensor.all_values * states, state_bits(tensor, workload, optimizer))


def _by_rule(tensor: Learned, workload: Workload, optimizer: Optimizer) -> Node:
    if optimizer.packed and _plainly(workload):
        states = 1 if "lion" in optimizer.names[0] else 2
        return bytes_of(tensor.all_values * states, state_bits(tensor, workload, optimizer))
    return optimizer.kept(tensor, workload, state_bits(tensor, workload, optimizer))


def _plainly(workload: Workload) -> bool:
    """True where the stated format of the states has 16 bits or more: no blocks then."""
    return BITS.get(word(workload, "formats.optimizer_state"), 0) > 8


def state_bits(tensor: Learned, workload: Workload, optimizer: Optimizer | None) -> Node:
    """Bits of one value of a state: as stated, as the optimizer fixes it, else as the parameter."""
    if _told(workload, "optimizer_state"):
        return value_bits(workload, "optimizer_state", "optimizer_format")
    if optimizer is None or (conditions(tensor.bits) and not optimizer.fixed):
        return value_bits(workload, "optimizer_state", "optimizer_format")
    if optimizer.fixed:
        return plain_bits("fp32", tell("{source} keeps states in fp32", source=optimizer.source))
    if holds_master(workload):
        return plain_bits("fp32", tell("states stand beside master weights in fp32"))
    return tensor.bits


def holds_master(workload: Workload) -> bool:
    """True where the engine keeps a master copy of 16-bit weights in fp32, as far as its name tells."""
    return engine_of(workload) in (*MEGATRON, *DEEPSPEED)


def master_bytes(workload: Workload) -> Figure:
    """A copy of the learned parameters in `formats.master`, or in fp32 where the engine keeps one."""
    if in_the_host(workload):
        return nothing()
    return total((_master(tensor, workload) for tensor in learned(workload)), BYTE)


def _master(tensor: Learned, workload: Workload) -> Node:
    if _told(workload, "master"):
        return bytes_of(tensor.all_values, value_bits(workload, "master", "master_format"))
    copy = bytes_of(tensor.all_values, plain_bits("fp32", tell("master weights in fp32")))
    return narrower(tensor.bits, 32) * copy


def largest(nodes: Iterable[Node]) -> Figure:
    """The largest of some amounts of bytes."""
    result: Figure = nothing()
    for node in nodes:
        result = larger(result, node)
    return result


def _told(workload: Workload, key: str) -> bool:
    return f"formats.{key}" in workload.facts or f"formats.{key}_bits" in workload.figures
