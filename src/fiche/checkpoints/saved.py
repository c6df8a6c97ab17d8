"""The tensors of a model in a small file of fiche's own: `{"fiche_model": 1, ...}` (A1, E4).

Canonical: one checkpoint has one text, and reading that text gives the same checkpoint. Its digest is the
digest of the checkpoint, so that a figure points into the file that its reader has.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

from fiche.checkpoints._json import json_object, place
from fiche.checkpoints._refusal import refused_at, short
from fiche.checkpoints._saved_form import faults
from fiche.kernel.checkpoint import Checkpoint, CheckpointFile, TensorGroup
from fiche.kernel.config import Json
from fiche.kernel.diagnostic import Refused

SAVED_LIMIT = 64 * 2**20


def write_tensors(checkpoint: Checkpoint) -> bytes:
    """The text of a checkpoint: keys in a fixed order, one group a line, no number rounded."""
    parts = [
        '"fiche_model": 1',
        f'"format": {_text(checkpoint.format)}',
        f'"source": {_text(checkpoint.source)}',
        f'"files": {_lines(_file_text(each) for each in checkpoint.files)}',
        f'"groups": {_lines(_group_text(each) for each in checkpoint.groups)}',
        f'"metadata": {_text(dict(checkpoint.metadata))}',
        f'"doubts": {_lines(_text(each) for each in checkpoint.doubts)}',
    ]
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode("utf-8")


def read_tensors(content: bytes, file: str) -> Checkpoint:
    """The checkpoint of such a text; `sha256` is that of `content`.

    Raises:
        Refused: F801 to F806 it is no such JSON, F825 it does not follow `model.schema.json`, or its
            numbers contradict each other.
    """
    found, text = json_object(content, file, SAVED_LIMIT)
    return saved_of(found, text, content, file)


def saved_of(found: dict[str, Json], text: str, content: bytes, file: str) -> Checkpoint:
    """The same of an object already parsed."""
    wrong = list(faults(found))
    if wrong:
        raise Refused(
            diagnostic
            for path, message in wrong
            for diagnostic in _odd(file, text, path, message).diagnostics
        )
    told: Any = found  # as its schema says, from here on
    return Checkpoint(
        format=told["format"],
        groups=tuple(_group(each) for each in told["groups"]),
        files=tuple(CheckpointFile(**each) for each in told["files"]),
        metadata=told["metadata"],
        sha256=hashlib.sha256(content).hexdigest(),
        file=file,
        doubts=tuple(told["doubts"]),
        source=told["source"],
    )


def _odd(file: str, text: str, path: tuple[str | int, ...], message: str) -> Refused:
    hint = "`fiche schema model` prints the form; let fiche write the file"
    return refused_at("F825", file, text, place(text, path), short(message), hint)


def _group(told: dict[str, Any]) -> TensorGroup:
    layers = tuple(n for first, last in told["layers"] for n in range(first, last + 1))
    return TensorGroup(**{**told, "shape": tuple(told["shape"]), "layers": layers})


def _file_text(file: CheckpointFile) -> str:
    return _text(
        {
            "name": file.name,
            "num_bytes": file.num_bytes,
            "header_bytes": file.header_bytes,
            "sha256": file.sha256,
        }
    )


def _group_text(group: TensorGroup) -> str:
    return _text(
        {
            "name": group.name,
            "dtype": group.dtype,
            "shape": list(group.shape),
            "count": group.count,
            "num_bytes": group.num_bytes,
            "layers": [[first, last] for first, last in _runs(group.layers)],
        }
    )


def _runs(layers: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as (first, last) of each run without a gap."""
    ends = [at for at, (one, two) in enumerate(pairwise(layers)) if two != one + 1]
    starts = [0, *(at + 1 for at in ends)] if layers else []
    for start, end in zip(starts, [*ends, len(layers) - 1], strict=False):
        yield layers[start], layers[end]


def _lines(texts: Iterable[str]) -> str:
    joined = ",\n".join(f"  {text}" for text in texts)
    return f"[\n{joined}\n]" if joined else "[]"


def _text(value: Json) -> str:
    """JSON on one line; a Fraction as the decimal that it is."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {_text(value[key])}" for key in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, Fraction):
        return _decimal(value)
    return json.dumps(value)


def _decimal(value: Fraction) -> str:
    """A fraction of a power of ten, in full. All that was read from a file is one."""
    left, places = value.denominator, 0
    for prime in (2, 5):
        times = 0
        while left % prime == 0:
            left //= prime
            times += 1
        places = max(places, times)
    if left != 1:
        raise ValueError(f"{value} has no end as a decimal")
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}.0"
