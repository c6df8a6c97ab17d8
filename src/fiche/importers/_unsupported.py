"""Formats that practitioners' files come in and that fiche cannot read yet: recognised, named, refused.

Nothing here parses: the first bytes are compared.
"""

from __future__ import annotations

import re

from fiche.importers._refusal import refused
from fiche.kernel.diagnostic import Refused
from fiche.kernel.lazy import lazy
from fiche.kernel.record import record

_LOOKED_AT = 1024 * 1024


@record(kw_only=False)
class Format:
    """A named format; `marks` are any of the patterns that its text contains, `magic` its first bytes."""

    name: str
    magic: tuple[bytes, ...] = ()
    marks: bytes = b""


FORMATS = (
    Format("GGUF model file", (b"GGUF",)),
    Format("safetensors file", marks=rb'\A.{8}\{"(?:__metadata__|[^"]{1,300}":\{"dtype)'),
    Format("ELF program", (b"\x7fELF",)),
    Format(
        "zip archive",  # one that is no document: those are read
        marks=rb"\APK(?:\x05\x06|\x03\x04(?!.{26}(?:\[Content_Types\]|_rels/|word/|docProps/|mimetypeappl)))",
    ),
    Format("tar archive", marks=rb"\A.{257}ustar"),
    Format("7z archive", (b"7z\xbc\xaf\x27\x1c",)),
    Format("SQLite database (nsys export?)", (b"SQLite format 3\x00",)),
    Format("PNG image", (b"\x89PNG\r\n\x1a\n",)),
    Format("JPEG image", (b"\xff\xd8\xff",)),
    Format("HDF5 file", (b"\x89HDF\r\n\x1a\n",)),
    Format("Parquet file", (b"PAR1",)),
    Format(
        "TensorFlow log", marks=rb"_bfc\) ran out of memory|tensorflow/(?:core|stream_executor)/"
    ),
    Format(
        "JAX log", marks=rb"RESOURCE_EXHAUSTED: (?:Out of memory|[Ff]ailed to allocate)|jaxlib\."
    ),
)
_PATTERNS = tuple(
    (f, lazy(f.marks, re.DOTALL if f.marks.startswith(rb"\A") else 0)) for f in FORMATS
)


def unsupported(content: bytes) -> str | None:
    """The name of a known format that is not read yet, or None."""
    head = content[:_LOOKED_AT]
    for known, pattern in _PATTERNS:
        if known.magic and head.startswith(known.magic):
            return known.name
        if known.marks and pattern.search(head):
            return known.name
    return None


def not_supported(name: str, sha256: str) -> Refused:
    """The refusal of a recognised format (F421)."""
    hint = "type what it says under `attests:` with a quote, or cite a fiche record of the run"
    return refused("F421", f"format not supported yet: {name}", sha256, hint=hint)


def nothing_found(content: bytes, sha256: str, wanted: str) -> Refused:
    """The refusal of a text without what its importer reads: named where the format is known."""
    name = unsupported(content)
    if name is not None:
        return not_supported(name, sha256)
    hint = "check that the log is whole, and that the failure is printed in it"
    return refused("F424", f"the file does not hold {wanted}", sha256, hint=hint)
