"""Tensors as headers list them, one file a shard, and alike ones as groups."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fiche.kernel.checkpoint import CheckpointFile, TensorGroup
from fiche.kernel.config import Json
from fiche.kernel.record import record

# The largest published model has some 150 000; a header of this many is an attack.
MAX_TENSORS = 1_000_000
# A whole word of a dotted name: the layer or the expert, but neither of `fc1` and `fc2`.
_NUMBER = re.compile(r"(?<![^.])[0-9]{1,9}(?![^.])")


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
    count = 1
    for side in tensor.shape:
        count *= side
    return count


def pattern(name: str) -> str:
    """The name with `*` for each word that is a number."""
    return _NUMBER.sub("*", name)


def grouped(tensors: Iterable[tuple[str, Tensor]]) -> tuple[TensorGroup, ...]:
    """Groups of tensors whose names differ in numbers only and that have one dtype and shape."""
    counts: dict[tuple[str, Tensor], int] = defaultdict(int)
    layers: dict[tuple[str, Tensor], set[int]] = defaultdict(set)
    for name, tensor in tensors:
        first = _NUMBER.search(name)
        key = (_NUMBER.sub("*", name) if first else name, tensor)
        counts[key] += 1
        if first:
            layers[key].add(int(first[0]))
    return tuple(
        TensorGroup(
            name=name,
            dtype=tensor.dtype,
            shape=tensor.shape,
            count=counts[name, tensor],
            num_bytes=tensor.num_bytes,
            layers=tuple(sorted(layers.get((name, tensor), ()))),
        )
        for name, tensor in sorted(counts)
    )
