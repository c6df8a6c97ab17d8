"""How a thing may be kept and shown, as its author says: rights, confidentiality, until when."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.kernel.record import record

# Each is more than the one before it.
LEVELS = ("public", "internal", "confidential")


@record
class Custody:
    """Empty where nobody said it.

    `rights` is a licence or a permission, and who gave it. `keep_until` is a day. `identifier` is a
    persistent one: a URN, a DOI, an address. `supersedes` are ids or digests of what it takes the place of.
    """

    rights: str = ""
    confidentiality: str = ""
    keep_until: str = ""
    identifier: str = ""
    supersedes: tuple[str, ...] = ()


NO_CUSTODY = Custody()


@record
class Citation:
    """Where a piece was taken from: the id of an archive, the URN of its entry, the path of the file in it."""

    archive: str
    entry: str
    file: str


def highest(told: Iterable[Custody]) -> str:
    """The highest level that is told; empty where none is."""
    found = {one.confidentiality for one in told}
    return next((level for level in reversed(LEVELS) if level in found), "")
