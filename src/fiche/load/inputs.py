"""The files that went in, with their digests: what a reader needs to compile the same again (E4)."""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fiche.kernel.decision import Input
    from fiche.kernel.piece import Piece

_MEDIA_TYPES = {
    ".csv": "text/csv",
    ".gz": "application/gzip",
    ".htm": "text/html",
    ".html": "text/html",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".log": "text/plain",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".txt": "text/plain",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


def media_type(name: str) -> str:
    """The media type that a file's name promises; the same on every machine."""
    return _MEDIA_TYPES.get(PurePosixPath(name).suffix.lower(), "application/octet-stream")


def yaml_input(name: str, role: str, content: bytes) -> Input:
    """A YAML file that was read."""
    from fiche.kernel.decision import Input

    digest = hashlib.sha256(content).hexdigest()
    return Input(
        file=name, role=role, num_bytes=len(content), sha256=digest, media_type="application/yaml"
    )


def piece_input(piece: Piece) -> Input:
    """A piece that was read."""
    from fiche.kernel.decision import Input

    return Input(
        file=piece.file,
        role="piece",
        num_bytes=piece.num_bytes,
        sha256=piece.sha256,
        media_type=piece.media_type,
    )
