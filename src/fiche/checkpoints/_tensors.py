"""Tensors as headers list them, one file a shard, and alike ones as groups."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from math import prod
from typing import NamedTuple

from fiche.kernel.checkpoint import CheckpointFile, TensorGroup
from fiche.kernel.config import Json
from fiche.kernel.record import record

# The largest published model has some 150 000; a header of this many is an attack.
MAX_TENSORS = 1_000_000
# A whole word of a dotted name: the layer or the expert, but neither of `fc1` and `fc2`.
_NUMBER = re.compile(r"\.[0-9]{1,9}(?=[.\n]|\Z)")


class Tensor(NamedTuple):
    """Format's word for the numbers, shape in row-major order, bytes as stored. Alike ones share one."""

    dtype: str
    shape: tuple[int, ...]
    num_bytes: int


@record
class Shard:
    """One file: its tensors by name, what its header says beside them, doubts about it."""

    format: str
    file: CheckpointFile
    tensors: Mapping[str, Tensor]
    metadata: Mapping[str, Json]
    doubts: tuple[str, ...] = ()


def elements(tensor: Tensor) -> int:
    """How many values a tensor has."""
    return prod(tensor.shape)


def pattern(name: str) -> str:
    """The name with `*` for each word that is a number."""
    return _NUMBER.sub(".*", f".{name}")[1:]


class _Group:
    """Tensors of one pattern and one kind; `start` is where the first number stands in their names."""

    __slots__ = ("count", "firsts", "start", "tensor")

    def __init__(self, key: str, tensor: Tensor) -> None:
        self.tensor, self.start, self.count = tensor, key.find("*"), 0
        self.firsts: set[str] = set()

    def layers(self) -> tuple[int, ...]:
        """First numbers, rising. A name with a * of its own has none."""
        return tuple(sorted({int(first) for first in self.firsts if first.isdecimal()}))


def grouped(names: Collection[str], tensors: Collection[Tensor]) -> tuple[TensorGroup, ...]:
    """Groups of tensors whose names differ in numbers only and that have one dtype and shape.

    `tensors` are in the order of `names`.
    """
    usual: dict[str, _Group] = {}
    others: dict[tuple[str, Tensor], _Group] = {}
    for key, name, tensor in zip(_patterns(names), names, tensors, strict=True):
        group = usual.get(key)
        if group is None:
            group = usual[key] = _Group(key, tensor)
        elif group.tensor is not tensor and group.tensor != tensor:
            group = others.setdefault((key, tensor), _Group(key, tensor))
        group.count += 1
        start = group.start
        if start >= 0:  # up to its first number a pattern is the name itself
            end = name.find(".", start)
            group.firsts.add(name[start:end] if end >= 0 else name[start:])
    every = [*usual.items(), *((key, group) for (key, _), group in others.items())]
    return tuple(
        TensorGroup(
            name=key,
            dtype=group.tensor.dtype,
            shape=group.tensor.shape,
            count=group.count,
            num_bytes=group.tensor.num_bytes,
            layers=group.layers(),
        )
        for key, group in sorted(every, key=lambda each: (each[0], each[1].tensor))
    )


def _patterns(names: Collection[str]) -> list[str]:
    """The pattern of each name; names are searched as one text, which is faster for 100 000 of them."""
    text = "\n.".join(["", *names])
    if text.count("\n") == len(names):
        return _NUMBER.sub(".*", text).split("\n.")[1:]
    return [pattern(name) for name in names]
