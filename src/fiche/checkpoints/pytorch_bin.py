"""A file of `torch.save`: how many bytes its storages have. Its pickle is never opened (law 7).

Names, number formats and shapes stand in the pickle alone: they stay unknown, and so does which tensors
share a storage or show only a part of it.
"""

from __future__ import annotations

import re

from fiche.checkpoints._refusal import refused
from fiche.checkpoints._tensors import Shard, Tensor
from fiche.checkpoints._zip_directory import directory
from fiche.checkpoints.source import Source, exactly
from fiche.kernel.checkpoint import CheckpointFile

ZIP = b"PK\x03\x04"
_STORAGE = re.compile(r"[^/]+/data/[0-9]{1,9}")
_SAFE = "save the model as safetensors, whose header tells names, formats and shapes"


def tensors_of_pytorch_bin(source: Source) -> Shard:
    """The storages of one file by their place in it (`data/0`), as tensors of unknown format and shape.

    `header_bytes` are those of the zip directory at its end.

    Raises:
        Refused: F819 a broken zip archive, F820 no file of `torch.save` that is read, or what the
            source refuses.
    """
    _check_zip(exactly(source, 0, min(4, source.length())), source.name)
    found = directory(source)
    pickles = [entry.name for entry in found.entries if entry.name.endswith("/data.pkl")]
    if len(pickles) != 1:
        raise refused("F820", source.name, "this zip archive holds no tensors of torch.save", _SAFE)
    root = pickles[0].removesuffix("data.pkl")
    tensors = {
        entry.name.removeprefix(root): Tensor("", (), entry.num_bytes)
        for entry in found.entries
        if entry.name.startswith(root) and _STORAGE.fullmatch(entry.name)
    }
    file = CheckpointFile(
        name=source.name,
        num_bytes=source.length(),
        header_bytes=found.num_bytes,
        sha256=found.sha256,
    )
    return Shard(format="pytorch_bin", file=file, tensors=tensors, metadata={})


def _check_zip(head: bytes, file: str) -> None:
    """Refuse what starts as a pickle, and anything else that is no zip archive."""
    if head.startswith(ZIP):
        return
    message = "this is no zip archive of torch.save"
    if head[:1] == b"\x80":
        message = "this is a bare pickle (torch.save before 1.6): it is code, and never run here"
    raise refused("F820", file, message, _SAFE)
