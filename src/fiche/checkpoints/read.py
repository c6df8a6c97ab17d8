"""A checkpoint by its path: a folder, one file of weights, an index, or a listing of fiche's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from fiche.checkpoints._assembled import assembled
from fiche.checkpoints._folder import INDEX, absent, chosen, is_weights, left_out, siblings
from fiche.checkpoints._json import json_object
from fiche.checkpoints._refusal import refused, short
from fiche.checkpoints._tensors import Shard
from fiche.checkpoints.gguf import MAGIC, tensors_of_gguf
from fiche.checkpoints.index import INDEX_LIMIT, Index, index_of
from fiche.checkpoints.pytorch_bin import ZIP, tensors_of_pytorch_bin
from fiche.checkpoints.safetensors import tensors_of_safetensors
from fiche.checkpoints.saved import saved_of
from fiche.checkpoints.source import FileSource, Source, exactly
from fiche.kernel.checkpoint import Checkpoint

Reader = Callable[[Source], Shard]

# A folder of more files than this is no model's.
_MAX_NAMES = 100_000
_MAX_FOLDERS = 100
_HEAD = 512
_ENDINGS: Mapping[str, Reader] = {
    ".safetensors": tensors_of_safetensors,
    ".gguf": tensors_of_gguf,
    ".bin": tensors_of_pytorch_bin,
    ".pt": tensors_of_pytorch_bin,
    ".pth": tensors_of_pytorch_bin,
}


def read_checkpoint(path: Path) -> Checkpoint:
    """What the headers at a path list. No weight is read, nothing is unpickled.

    Of a folder, the one set of weights that a library would load; other copies are named in `doubts`. A
    file that is one of several (`-00001-of-00003`) is read with all others.

    Raises:
        Refused: F801 to F825: see the pages of these codes.
    """
    if path.is_dir():
        return _of_folder(path)
    with FileSource(path) as source:
        head = source.part(0, _HEAD)
        if head.lstrip(b" \t\r\n").startswith(b"{") and path.suffix not in _ENDINGS:
            content = source.part(0, INDEX_LIMIT + 1)
            return _of_json(path, content)
    _check_known(path.name, head)
    files = siblings(path.name, _names(path.parent), "")
    index = _index_beside(path, files)
    if index is not None:
        return _of_index(path.parent, index, path.name, ())
    return assembled(_shards(path.parent, files), file=path.name, source=path.parent.resolve().name)


def _of_folder(path: Path) -> Checkpoint:
    choice = chosen(_names(path), path.name or str(path))
    doubts = left_out((*choice.left_out, *_folders(path)))
    where = path.resolve().name
    if not choice.index:
        shards = _shards(path, choice.files)
        return assembled(shards, file=choice.label, source=where, doubts=doubts)
    index = _index(path / choice.index)
    others = tuple(name for name in choice.left_out if name not in index.files)
    doubts = left_out((*others, *_folders(path)))
    return _of_index(path, index, choice.index, doubts)


def _of_json(path: Path, content: bytes) -> Checkpoint:
    found, text = json_object(content, path.name, INDEX_LIMIT)
    if "fiche_model" in found:
        return saved_of(found, text, content, path.name)
    if "weight_map" in found:
        index = index_of(found, text, content, path.name)
        return _of_index(path.parent, index, path.name, ())
    hint = "name its folder, or a file of its weights"
    raise refused("F826", path.name, "this JSON lists no tensors", hint)


def _index(path: Path) -> Index:
    with FileSource(path) as source:
        content = source.part(0, INDEX_LIMIT + 1)
    found, text = json_object(content, path.name, INDEX_LIMIT)
    return index_of(found, text, content, path.name)


def _index_beside(path: Path, files: tuple[str, ...]) -> Index | None:
    """The index of numbered shards, where it lies beside them under their name."""
    if len(files) < 2:
        return None
    base, _, _ = path.name.rpartition("-of-")
    beside = path.with_name(f"{base.rpartition('-')[0]}{path.suffix}{INDEX}")
    return _index(beside) if beside.is_file() else None


def _of_index(folder: Path, index: Index, file: str, doubts: tuple[str, ...]) -> Checkpoint:
    missing = sorted(set(index.files) - set(_names(folder)))
    if missing:
        told = index.metadata.get("total_size")
        total = f" (the index says that all tensors hold {short(str(told))} B)" if told else ""
        raise absent("", index.file.name, missing, len(index.files), total)
    shards = _shards(folder, index.files)
    where = folder.resolve().name
    return assembled(shards, file=file, index=index, source=where, doubts=doubts)


def _shards(folder: Path, files: tuple[str, ...]) -> list[Shard]:
    return [_shard(folder / name) for name in files]


def _shard(path: Path) -> Shard:
    with FileSource(path) as source:
        head = exactly(source, 0, min(_HEAD, source.length()))
        return _reader(path.name, head)(source)


def _check_known(name: str, head: bytes) -> None:
    _reader(name, head)


def _reader(name: str, head: bytes) -> Reader:
    """What reads a file: by its ending, else by its first bytes.

    Raises:
        Refused: F826 nothing here reads it.
    """
    if head.startswith(b"version https://git-lfs"):
        hint = "run `git lfs pull` in its folder"
        raise refused("F826", name, "this is a Git LFS pointer, not the file itself", hint)
    for ending, reader in _ENDINGS.items():
        if name.endswith(ending):
            return reader
    if head.startswith(MAGIC):
        return tensors_of_gguf
    if head.startswith((ZIP, b"\x80")):
        return tensors_of_pytorch_bin
    if head[8:9] == b"{":
        return tensors_of_safetensors
    hint = "safetensors, GGUF, PyTorch (zip) files, an index or a listing of fiche are read"
    raise refused("F826", name, "this is no file of weights that fiche knows", hint)


def _names(folder: Path) -> list[str]:
    """The names in a folder.

    Raises:
        Refused: F807 it cannot be read, F808 it holds too many.
    """
    try:
        found = os.listdir(folder)  # noqa: PTH208 - names only: no path is made of each
    except OSError as error:
        message = f"it cannot be read: {error.strerror}"
        raise refused("F807", folder.name, message, "check its name and its permissions") from None
    if len(found) > _MAX_NAMES:
        message = f"it holds {len(found)} files"
        raise refused("F808", folder.name, message, "name the file of the model itself")
    return found


def _folders(folder: Path) -> list[str]:
    """Folders inside that hold weights as well, such as `original/`."""
    found: list[str] = []
    for name in sorted(_names(folder))[:_MAX_FOLDERS]:
        inside = folder / name
        try:
            if inside.is_dir() and any(map(is_weights, os.listdir(inside))):  # noqa: PTH208
                found.append(f"{name}/")
        except OSError:
            found.append(f"{name}/ (unreadable)")
    return found
