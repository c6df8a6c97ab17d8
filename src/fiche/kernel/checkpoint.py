"""The tensors of a checkpoint, as its headers list them: never a weight, never more than a header."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.config import Json
from fiche.kernel.record import record


@record
class CheckpointFile:
    """One file: name inside the checkpoint, whole length, length of its header, sha256 of the header."""

    name: str
    num_bytes: int
    header_bytes: int
    sha256: str


@record
class TensorGroup:
    """Tensors that differ in the numbers of their names only: one name with `*` for each number.

    `dtype` is the format's own word (BF16, F8_E4M3, U8, Q4_K, ...), `shape` that of one tensor as the file
    lists it (GGUF reversed to row-major: outputs first), `num_bytes` the bytes of one tensor. `layers` are
    the distinct values of the first number in the names, ascending; `count` is how many tensors there are.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    count: int
    num_bytes: int
    layers: tuple[int, ...] = ()


@record
class Checkpoint:
    """What is stored: groups in the order of their names, the files that hold them, and doubts.

    `format` is safetensors, pytorch_bin or gguf. `metadata` is what the header says beside tensors (GGUF key
    and values; `total_size` and `total_parameters` of an index). `doubts` are contradictions worth a
    warning, such as an index whose total differs from the sum of its tensors. `source` is where it came
    from: a folder's name, or `org/model@commit`.
    """

    format: str
    groups: tuple[TensorGroup, ...]
    files: tuple[CheckpointFile, ...]
    metadata: Mapping[str, Json]
    sha256: str
    file: str
    doubts: tuple[str, ...] = ()
    source: str = ""
