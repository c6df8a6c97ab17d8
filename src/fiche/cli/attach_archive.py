"""`fiche import archive:ID[/FILE] --to FICHE`: a file of an archived entry becomes a piece that says so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from fiche.archive.entry import Entry, Kept
from fiche.archive.index import Index
from fiche.archive.refusals import refused
from fiche.archive.store import Store
from fiche.cli.archive_indexed import indexed
from fiche.cli.archive_options import opened
from fiche.cli.attach_read import Brought
from fiche.cli.imported import PREFIX
from fiche.kernel.custody import Citation, Custody

# What is one piece by itself; of any other entry a file has to be named.
_PIECES = ("record", "piece")
_SHOWN = 8


def brought_from(files: Sequence[Path], archive: str | None) -> dict[Path, Brought]:
    """The files of entries among those that were typed, by how they were typed.

    Raises:
        Refused: F930 no archive is named or there; F932 no such entry, F933 it has changed, F955 an id that
            begins several; F967 the entry holds several files, or no such one.
    """
    store = opened(archive)
    index = indexed(store, None)
    try:
        return {
            file: _brought(str(file).removeprefix(PREFIX), store, index)
            for file in files
            if str(file).startswith(PREFIX)
        }
    finally:
        index.close()


def _brought(typed: str, store: Store, index: Index) -> Brought:
    begin, _, path = typed.partition("/")
    entry = store.entry(index.id_of(begin))
    kept = _kept(entry, path)
    return Brought(
        name=PurePosixPath(kept.name or kept.path).name,
        content=store.content(entry.id, kept.path),
        custody=Custody(
            rights=entry.rights,
            confidentiality=entry.confidentiality,
            keep_until=entry.keep_until,
        ),
        cites=Citation(archive=store.id, entry=f"urn:uuid:{entry.id}", file=kept.path),
        warnings=tuple(_superseded(index.superseding(entry.id))),
    )


def _kept(entry: Entry, path: str) -> Kept:
    """The file that is meant: the entry's own where it is one piece, else the one that is named."""
    if not path and entry.kind in _PIECES:
        path = entry.main
    found = next((one for one in entry.files if path and path in (one.path, one.name)), None)
    if found is None:
        what = f"has no file {path!r}" if path else f"is a {entry.kind}, of several files"
        names = [one.path for one in entry.files]
        some = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        hint = f"name one of its files: archive:{entry.id}/FILE; it has {some}"
        raise refused("F967", f"entry {entry.id} {what}", hint)
    return found


def _superseded(by: Sequence[str]) -> list[str]:
    """A warning where a later entry says that it replaces this one: it is cited all the same."""
    if not by:
        return []
    return [f"superseded: {', '.join(by)} says that it takes the place of this entry"]
