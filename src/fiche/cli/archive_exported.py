"""Writing an export: a new folder that is there whole or not at all, and what was left out of it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from fiche import __version__
from fiche.archive.entry import Entry
from fiche.archive.export import FORMATS, README, Exported, Order, export, readme, to_disk
from fiche.archive.store import Store
from fiche.cli.archive_search_text import count
from fiche.cli.output import new_folder, taken
from fiche.cli.progress import Progress
from fiche.cli.terminal import clean, put_json, put_text
from fiche.cli.usage import unknown
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.report.numbers import exact

CONFIDENTIAL = "confidential"


@record(kw_only=False)
class LeftOut:
    """A confidential entry that is not exported."""

    id: str
    kind: str
    title: str


def parse_formats(text: str) -> tuple[str, ...]:
    """The formats asked for, in a fixed order.

    Raises:
        Refused: F701 one of them is none of those there are.
    """
    asked = [word.strip().lower() for word in text.split(",") if word.strip()]
    wrong = next((word for word in asked if word not in FORMATS), None if asked else text)
    if wrong is not None:
        raise Refused([unknown("format", wrong, list(FORMATS))])
    return tuple(name for name in FORMATS if name in asked)


def write(
    store: Store,
    ids: Iterable[str],
    folder: Path,
    formats: Sequence[str],
    *,
    with_confidential: bool,
    as_json: bool,
) -> None:
    """Export entries into a new folder, and say what was written and what was left out.

    Raises:
        Refused: F610 the folder is there, F611 it cannot be written, F960 there is nothing to export, F961 no
            pyarrow, F932, F933 an entry is not there or has changed.
    """
    if os.path.lexists(folder):
        raise Refused([taken(folder)])
    if "parquet" in formats:
        from fiche.archive.export_parquet import library

        library()
    chosen, left_out = _chosen(store, ids, with_confidential=with_confidential)
    if not chosen:
        raise Refused([_nothing(left_out)])
    day = time.strftime("%Y-%m-%d", time.gmtime())
    order = Order(formats=tuple(formats), version=__version__, day=day)
    done = _written(store, chosen, folder, order, len(left_out))
    if as_json:
        put_json(_json(folder, order, done, left_out))
    else:
        put_text(_text(folder, order, done, left_out))


def _chosen(
    store: Store, ids: Iterable[str], *, with_confidential: bool
) -> tuple[list[str], list[LeftOut]]:
    """The ids in order, and what is confidential; read from the bags, not from an index that may be old."""
    chosen: list[str] = []
    left_out: list[LeftOut] = []
    for id in sorted(set(ids)):
        entry = store.entry(id)
        if entry.confidentiality == CONFIDENTIAL and not with_confidential:
            left_out.append(_left_out(entry))
        else:
            chosen.append(id)
    return chosen, left_out


def _left_out(entry: Entry) -> LeftOut:
    return LeftOut(entry.id, entry.kind, entry.title)


def _nothing(left_out: Sequence[LeftOut]) -> Diagnostic:
    if left_out:
        message = f"nothing to export: all {len(left_out)} entries are confidential"
        hint = "--with-confidential exports them too"
    else:
        message, hint = "nothing to export: no entry is chosen", "fiche archive list shows entries"
    return Diagnostic(code="F960", message=message, address=None, hint=hint)


def _written(
    store: Store, ids: Sequence[str], folder: Path, order: Order, num_left_out: int
) -> Exported:
    """The folder whole under another name, on the disk, and then renamed."""
    progress = Progress("exporting", len(ids))
    with new_folder(folder) as partial:
        try:
            done = export(store, ids, partial, order, progress.reached)
        finally:
            progress.ended()
        (partial / README).write_text(readme(order, done, num_left_out), encoding="utf-8")
        to_disk()
    return done


def _text(folder: Path, order: Order, done: Exported, left_out: Sequence[LeftOut]) -> str:
    lines = [
        f"{folder}: {count(done.entries, 'entry')}, {count(done.rows, 'row')},"
        f" {count(done.files, 'file')}, {exact(done.num_bytes)} bytes",
        f"written: {', '.join(order.formats)}",
    ]
    if left_out:
        lines.append(f"left out, confidential (--with-confidential exports them): {len(left_out)}")
        lines += [f"  {one.id}  {one.kind}, {one.title}" for one in left_out]
    return "".join(f"{clean(line)}\n" for line in lines)


def _json(
    folder: Path, order: Order, done: Exported, left_out: Sequence[LeftOut]
) -> dict[str, object]:
    return {
        "format": "fiche-archive-exported/1",
        "folder": str(folder),
        "formats": list(order.formats),
        "entries": done.entries,
        "rows": done.rows,
        "files": done.files,
        "bytes": done.num_bytes,
        "left_out": [{"id": o.id, "kind": o.kind, "title": o.title} for o in left_out],
    }
