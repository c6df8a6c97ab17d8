"""What a check needs of an entry: less than reading it, for there may be a hundred thousand."""

from __future__ import annotations

from typing import NamedTuple

from fiche.archive.document import checked, has_own_id


class Looked(NamedTuple):
    """The id, whether kind and files make it, the files with digest and length, and what concerns others."""

    id: str
    is_own: bool
    files: dict[str, tuple[str, int]]
    supersedes: tuple[str, ...]
    keep_until: str


def looked_at(content: bytes) -> Looked:
    """What an entry says of itself.

    Raises:
        Refused: F931 a newer format, F941 it is no entry.
    """
    told = checked(content)
    return Looked(
        id=told["id"],
        is_own=has_own_id(told),
        files={one["path"]: (one["sha256"], one["num_bytes"]) for one in told["files"]},
        supersedes=tuple(told.get("supersedes", ())),
        keep_until=told.get("keep_until", ""),
    )
