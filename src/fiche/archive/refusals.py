"""What the archive refuses, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fiche.archive.identity import bag_path
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import replace

T = TypeVar("T")


def refused(code: str, message: str, hint: str) -> Refused:
    """One refusal without an address: no line of a file is concerned."""
    return Refused([Diagnostic(code=code, message=message, address=None, hint=hint)])


def no_archive(where: str) -> Refused:
    """F930: nothing is there, or something that is no archive."""
    hint = "name it with --archive or FICHE_ARCHIVE; fiche archive add makes one in an empty folder"
    return refused("F930", f"{where}: there is no archive", hint)


def unreadable(where: str, error: OSError) -> Refused:
    """F930: whether an archive is there cannot be seen."""
    return refused("F930", f"{where}: {error.strerror}", "check who may read that folder")


def newer(where: str, found: str) -> Refused:
    """F931: an archive of a format that this fiche does not read."""
    message = f"{where} says that it is {found[:60]!r}: this fiche reads fiche-archive/1"
    return refused("F931", message, "a newer fiche wrote it: install that")


def unknown(id: str, where: str) -> Refused:
    """F932: no entry of that id."""
    hint = "fiche archive list shows the ids"
    return refused("F932", f"there is no entry {id[:80]!r} in {where}", hint)


def damaged(bag: str, why: str) -> Refused:
    """F933: a bag that is not as it was written."""
    hint = "fiche archive check tells all that differs; put a copy of the bag in its place"
    return refused("F933", f"{bag}: {why}", hint)


def named(id: str, read: Callable[[], T]) -> T:
    """What is read of a bag; of what is refused there, with the place of the bag."""
    try:
        return read()
    except Refused as refusal:
        raise Refused(
            replace(each, message=f"{bag_path(id)}: {each.message}") for each in refusal.diagnostics
        ) from None


def too_long(place: str, most: int) -> Refused:
    """F319: a file that no memory is given to."""
    message = f"{place} is longer than {most // 2**20} MiB"
    return refused("F319", message, "it is a plain file: copy it from there")


def unwritable(where: str, error: OSError) -> Refused:
    """F934: the archive takes nothing; nothing is left of what was begun."""
    why = error.strerror or str(error) or type(error).__name__
    hint = "check the free space and the rights there; this was not added: the same command goes on from it"
    return refused("F934", f"{where}: nothing can be written: {why}", hint)
