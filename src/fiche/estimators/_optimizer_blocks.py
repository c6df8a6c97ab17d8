"""What optimizers with states in 8 or 4 bits keep: codes, a scale for each block, and small tensors whole.

Read in bitsandbytes (`optim/optimizer.py`; blocks of 256 values since 0.44.0, of 2048 before: pull request
1365) and in torchao (`optim/adam.py`, `subclass_{8bit,4bit,fp8}.py`; pull request 927).
"""

from __future__ import annotations

from fiche.estimators._amounts import at_least, bytes_of, nothing
from fiche.estimators._learned import Learned
from fiche.estimators._optimizer_rules import Rule, plain
from fiche.estimators._reading import word
from fiche.kernel.figure import Node, Operand, ceil, either, floor, larger, smaller
from fiche.kernel.number import Misread
from fiche.kernel.said import tell
from fiche.kernel.version import parse_version
from fiche.kernel.workload import Workload

_SMALLEST = 4096  # values: a smaller tensor stays unpacked, in both libraries
_PAGED_FROM = (
    100_000  # values: a smaller tensor stays on the device (bitsandbytes get_state_buffer)
)
_BLOCK, _OLD_BLOCK, _BLOCK_CHANGED = 256, 2048, "0.44.0"


def bitsandbytes(states: int) -> Rule:
    """A byte a value and a scale in fp32 a block; tensors below 4096 values in fp32."""

    def kept(tensor: Learned, workload: Workload, _: Operand) -> Node:
        wide = bytes_of(tensor.all_values * states, 32)
        narrow = tensor.copies * states * (bytes_of(tensor.values, 8) + _scales(tensor, workload))
        if tensor.flat:
            because = tell("tensors below 4096 values stay in 32 bits: shapes are not known")
            return either(narrow, wide, because)
        if tensor.role in ("embedding", "position"):
            return _embedding(narrow, wide, workload)
        packed = at_least(tensor.values, _SMALLEST)
        return packed * narrow + (1 - packed) * wide

    return kept


def _scales(tensor: Learned, workload: Workload) -> Node:
    now, before = (bytes_of(ceil(tensor.values / block), 32) for block in (_BLOCK, _OLD_BLOCK))
    told = parse_version(word(workload, "extensions.bitsandbytes"))
    changed = parse_version(_BLOCK_CHANGED)
    if isinstance(told, Misread) or isinstance(changed, Misread):
        because = tell(
            "blocks of 256 values since bitsandbytes 0.44.0, of 2048 before: state extensions"
        )
        return either(before, now, because)
    return before if told < changed else now


def _embedding(narrow: Node, wide: Node, workload: Workload) -> Node:
    """The Trainer of transformers asks for 32 bits on every embedding (trainer.py, 5.24.0)."""
    if word(workload, "engine.name").lower() == "transformers":
        return wide
    return either(narrow, wide, tell("the Trainer of transformers keeps embeddings in 32 bits"))


def paged(rule: Rule) -> Rule:
    """bitsandbytes: larger states lie in managed memory, which leaves the device when it runs short."""

    def kept(tensor: Learned, workload: Workload, bits: Operand) -> Node:
        whole = rule(tensor, workload, bits)
        stays = nothing()
        if not tensor.flat:
            stays = (1 - at_least(tensor.values, _PAGED_FROM)) * whole
        because = tell("paged: on the device, or moved to the host where memory runs short")
        return either(stays, whole, because)

    return kept


def torchao(code_bits: int, block: int, table: int) -> Rule:
    """Two states of codes, a scale in fp32 a block and a table; tensors of broken blocks keep their format."""

    def kept(tensor: Learned, workload: Workload, bits: Operand) -> Node:
        wide = plain(2)(tensor, workload, bits)
        blocks = floor(tensor.values / block)
        one = bytes_of(tensor.values, code_bits) + bytes_of(blocks, 32)
        if table:
            one = one + bytes_of(table, 32)
        narrow = tensor.copies * 2 * one
        if tensor.flat:
            because = tell("tensors below 4096 values, or of broken blocks, keep their own format")
            return either(narrow, wide, because)
        broken = smaller(1, larger(0, tensor.values - block * blocks))
        packed = at_least(tensor.values, _SMALLEST) * (1 - broken)
        return packed * narrow + (1 - packed) * wide

    return kept
