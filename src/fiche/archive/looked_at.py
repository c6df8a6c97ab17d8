"""What a check needs of an entry: less than reading it, for there may be a hundred thousand."""

from __future__ import annotations

from typing import Any, NamedTuple

from fiche.archive.document import TEXTS, kept_of, labels_of, no_entry, parsed
from fiche.archive.entry import CONFIDENTIALITY, KINDS
from fiche.archive.identity import id_of

_TEXT = frozenset((str,))


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
    told = parsed(content)
    try:
        return _looked(told)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise no_entry(f"{type(error).__name__}: {str(error)[:100]}") from None


def _looked(told: dict[str, Any]) -> Looked:
    files = [kept_of(each) for each in told["files"]]
    by_path = {one.path: (one.sha256, one.num_bytes) for one in files}
    supersedes, id = told.get("supersedes", []), told["id"]
    texts = (told["title"], told["added"], *(told.get(key, "") for key in TEXTS), *supersedes)
    if told["kind"] not in KINDS or told["main"] not in by_path or len(by_path) != len(files):
        raise ValueError("its kind or its files are none")
    if told.get("confidentiality", "public") not in CONFIDENTIALITY:
        raise ValueError("its confidentiality is none")
    if not _TEXT.issuperset(map(type, texts)) or type(supersedes) is not list:
        raise TypeError("a text was expected")
    labels_of(told)
    for row in told.get("rows", ()):
        if not _TEXT.issuperset(map(type, row.values())):
            raise TypeError("a row is not made of texts")
    is_own = id == id_of(told["kind"], files)
    return Looked(id, is_own, by_path, tuple(supersedes), told.get("keep_until", ""))
