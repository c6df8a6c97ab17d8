"""The id of an entry: made of its kind and its files alone, so the same files have the same id everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from json.encoder import encode_basestring_ascii as _quoted

from fiche.archive.entry import Entry, Kept
from fiche.kernel.named_uuid import named_uuid

# The namespace of the UUIDs (version 5) of entries; it never changes.
_NAMESPACE = bytes.fromhex("6f1c7a3e9d1b5c0e8a472d5be3f09b61")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def id_of(kind: str, files: Iterable[Kept]) -> str:
    """The UUID of the kind and of every file's own name and digest, in whatever order they stand."""
    return id_made(kind, ((one.name or one.path, one.sha256) for one in files))


def id_made(kind: str, named: Iterable[tuple[str, str]]) -> str:
    """The same, of names and digests."""
    # As JSON writes it: an encoder made for each would take longer than all else.
    pairs = ",".join(f"[{_quoted(name)},{_quoted(sha256)}]" for name, sha256 in sorted(named))
    told = f"[{_quoted(kind)},[{pairs}]]".encode("ascii")
    return named_uuid(_NAMESPACE, told)


def is_id(text: str) -> bool:
    """True for a text that can be an id: nothing else ever becomes a part of a path."""
    return _ID.fullmatch(text) is not None


def is_own(entry: Entry) -> bool:
    """True where the id of an entry is the one that its kind and files make."""
    return entry.id == id_of(entry.kind, entry.files)


def bag_path(id: str) -> str:
    """Where the bag of an entry lies below the archive."""
    return f"bags/{id[:2]}/{id}"
