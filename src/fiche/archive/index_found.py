"""What an index answers: rows with the entry they are of, how many there are, and what was looked through."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.archive.entry import Row
from fiche.kernel.record import field, record


@record
class Listed:
    """An entry as an index has it. `short` is the beginning of its id that no other one has."""

    id: str
    short: str
    kind: str
    title: str
    date: str
    added: str
    confidentiality: str
    keep_until: str
    superseded: bool
    superseded_by: tuple[str, ...]
    num_rows: int
    num_files: int
    num_bytes: int


@record
class Statement:
    """What an entry says that it supersedes, as names are compared, and which entries that is.

    Where it leads to none, `why` is unknown or ambiguous: then `candidates` are called so.
    """

    entry: str
    told: str
    entries: tuple[str, ...] = ()
    why: str = ""
    candidates: tuple[str, ...] = ()


@record
class Found:
    """One row of an entry; an entry without rows is found with none."""

    entry: Listed
    row: Row | None = None


@record
class Looked:
    """One thing that was asked for, in words, and how many entries have it by itself.

    `near` has the words that are there, where none is what was asked for.
    """

    asked: str
    entries: int
    near: tuple[str, ...] = ()


@record
class Answer:
    """What was found, the first ones of it; of how many rows and entries, among how many."""

    found: tuple[Found, ...]
    num_rows: int
    num_entries: int
    all_entries: int
    all_rows: int
    undated: int = 0
    looked: tuple[Looked, ...] = ()


@record
class Listing:
    """Entries, the first ones; how many there are of each kind."""

    entries: tuple[Listed, ...]
    kinds: Mapping[str, int] = field(default_factory=dict)
    unread: int = 0
