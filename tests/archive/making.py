"""Entries to put into archives."""

import hashlib

from fiche.archive.entry import Entry, Kept, Row
from fiche.archive.identity import id_of
from fiche.archive.names import safe_paths
from fiche.kernel.record import replace

ADDED = "2026-12-01T10:00:00Z"


def made(contents, **changes):
    """An entry of these files, by name, and its files by path."""
    if isinstance(contents, bytes):
        contents = {"run.json": contents}
    paths = safe_paths(contents)
    kept = tuple(
        Kept(
            path=paths[name],
            num_bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            media_type="application/json",
            name="" if paths[name] == name else name,
        )
        for name, content in sorted(contents.items())
    )
    entry = Entry(
        id=id_of("record", kept),
        kind="record",
        title="a run",
        date="2026-11-19",
        added=ADDED,
        main=kept[0].path,
        files=kept,
        rows=(Row(model="m", quantity="max_memory_reserved.peak", amount="12", unit="B"),),
    )
    return replace(entry, **changes), {paths[name]: content for name, content in contents.items()}
