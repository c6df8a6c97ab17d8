"""The header of a `.safetensors` file: 8 bytes of length, JSON, then the tensors without a gap.

What the format asks is checked as safetensors 0.8 checks it (and, beyond it, that no name stands twice):
offsets cover the bytes behind the header once and whole, and each pair is the width of its tensor.
"""

from __future__ import annotations

import hashlib

from fiche.checkpoints._refusal import refused, short
from fiche.checkpoints._safetensors_header import Entries, entries
from fiche.checkpoints._tensors import Shard
from fiche.checkpoints.source import Source, exactly
from fiche.kernel.checkpoint import CheckpointFile

# The limit of the library itself.
MAX_HEADER = 100_000_000
_LENGTH = 8
_AHEAD = 64 * 1024
_COPY = "the file is cut or damaged: copy it again and compare its digest"


def tensors_of_safetensors(source: Source) -> Shard:
    """The tensors of one file. Reads its header, in one or two parts, and nothing else.

    `header_bytes` counts the length in front, and the digest is of these bytes.

    Raises:
        Refused: F811 cut or a header of impossible length, F812 a header that is not of the form, F813
            unknown number format, F814 offsets that do not fit, F815 a name twice, F824 too many
            tensors, or what the source refuses.
    """
    header = _header(source)
    found = entries(header[_LENGTH:], source.name)
    _check_cover(found, source.length() - len(header), source.name)
    file = CheckpointFile(
        name=source.name,
        num_bytes=source.length(),
        header_bytes=len(header),
        sha256=hashlib.sha256(header).hexdigest(),
    )
    return Shard(format="safetensors", file=file, tensors=found.tensors, metadata=found.metadata)


def _header(source: Source) -> bytes:
    """The length and the header behind it."""
    length = source.length()
    first = exactly(source, 0, min(length, _AHEAD))
    if length < _LENGTH:
        raise refused("F811", source.name, f"it has {length} bytes, less than a header", _COPY)
    count = int.from_bytes(first[:_LENGTH], "little")
    if count > MAX_HEADER:
        message = f"its header has {count} bytes, more than the {MAX_HEADER} of the format"
        raise refused("F811", source.name, message, "this is no safetensors file, or a damaged one")
    end = _LENGTH + count
    if end > length:
        message = f"its header ends at byte {end}, the file at {length}"
        raise refused("F811", source.name, message, _COPY)
    if end > len(first):
        first += exactly(source, len(first), end - len(first))
    return first[:end]


def _check_cover(found: Entries, length: int, file: str) -> None:
    """Tensors must follow each other from the header to the end of the file."""
    in_order = found.starts == [0, *found.ends][:-1]  # as nearly all are written
    at = _end_in_order(found, file) if not in_order else [0, *found.ends][-1]
    if at > length:
        message = f"its tensors have {at} bytes, of which the file holds {length}"
        raise refused("F811", file, message, _COPY)
    if at < length:
        message = f"{length - at} bytes behind its last tensor belong to none"
        raise refused("F814", file, message, _COPY)


def _end_in_order(found: Entries, file: str) -> int:
    """The end of the last tensor, once they are put in order."""
    at = 0
    for start, end, name in sorted(zip(found.starts, found.ends, found.tensors, strict=True)):
        if start != at:
            what = "overlaps the one before it" if start < at else "leaves a gap before it"
            message = f"tensor '{short(name)}' at [{start}, {end}] {what} (expected {at})"
            raise refused("F814", file, message, _COPY)
        at = end
    return at
