"""The index beside the shards of a model: which file holds which tensor, and totals that may be wrong."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import cast

from fiche.checkpoints._json import json_object, place
from fiche.checkpoints._refusal import refused_at, short
from fiche.kernel.checkpoint import CheckpointFile
from fiche.kernel.config import Json
from fiche.kernel.record import record

# 150 000 names take some 15 MB.
INDEX_LIMIT = 64 * 2**20
MAX_FILES = 10_000
# A name within the same folder, on every system.
_FILE = re.compile(r"[^/\\:\x00-\x1f]{1,255}")


@record
class Index:
    """`weight_map` gives the file of each tensor; `files` are these files in the order of their names."""

    file: CheckpointFile
    weight_map: Mapping[str, str]
    files: tuple[str, ...]
    metadata: Mapping[str, Json]


def read_index(content: bytes, file: str) -> Index:
    """A `*.index.json`.

    Raises:
        Refused: F801 to F806 it is no such JSON, F822 it names a file outside of its folder.
    """
    found, text = json_object(content, file, INDEX_LIMIT)
    return index_of(found, text, content, file)


def index_of(found: Mapping[str, Json], text: str, content: bytes, file: str) -> Index:
    """The same of an object already parsed."""
    told = found.get("weight_map")
    if not isinstance(told, dict) or not told:
        hint = 'an index holds "weight_map": {tensor: file}'
        raise refused_at("F806", file, text, 0, "there is no weight_map in it", hint)
    weight_map = _checked(told, text, file)
    files = tuple(sorted(set(weight_map.values())))
    if len(files) > MAX_FILES:
        message = f"it names {len(files)} files"
        raise refused_at("F806", file, text, 0, message, f"no more than {MAX_FILES} are read")
    metadata = found.get("metadata")
    return Index(
        file=CheckpointFile(
            name=file,
            num_bytes=len(content),
            header_bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
        ),
        weight_map=weight_map,
        files=files,
        metadata=metadata if isinstance(metadata, dict) else {},
    )


def _checked(told: Mapping[str, Json], text: str, file: str) -> dict[str, str]:
    """Names of files by tensor: each lies beside the index."""
    kinds = set(map(type, told.values()))
    files = set(map(str, told.values()))
    outside = {each for each in files if not _is_plain(each)}
    if kinds == {str} and not outside:
        return cast(dict[str, str], told)
    name, value = next(
        (name, each) for name, each in told.items() if not isinstance(each, str) or each in outside
    )
    at = place(text, ("weight_map", name))
    if not isinstance(value, str):
        hint = "each tensor has one file"
        raise refused_at("F806", file, text, at, "this is no name of a file", hint)
    message = f"'{short(value)}' does not lie in the index's own folder"
    raise refused_at("F822", file, text, at, message, "shards lie beside their index")


def _is_plain(name: str) -> bool:
    return bool(_FILE.fullmatch(name) and name.strip(".") and name.isprintable())
