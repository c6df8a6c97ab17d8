"""Writing an export: a new folder that is there whole or not at all, and what was left out of it."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fiche import __version__
from fiche.archive.export import FORMATS, README, Exported, Order, export, readme, to_disk
from fiche.archive.store import Store
from fiche.cli.archive_indexed import reached
from fiche.cli.archive_kept_back import counted, warn
from fiche.cli.archive_search_text import count
from fiche.cli.output import new_folder, taken
from fiche.cli.progress import Progress
from fiche.cli.terminal import clean, put_json, put_text
from fiche.cli.usage import unknown
from fiche.kernel.custody import Custody, highest
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.report.numbers import exact


@record(kw_only=False)
class LeftOut:
    """An entry that is not exported: `level` is its own, or that of the one with which it shares a file."""

    id: str
    kind: str
    title: str
    level: str


@record
class Chosen:
    """Ids in order; what is left out; and how many of each level are not."""

    ids: Sequence[str]
    left_out: Sequence[LeftOut]
    levels: Counter[str]


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
    told_index: str | None,
    kept_back: frozenset[str],
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
    chosen = _chosen(store, ids, _confided(store, told_index), kept_back)
    if not chosen.ids:
        raise Refused([_nothing(chosen.left_out)])
    day = time.strftime("%Y-%m-%d", time.gmtime())
    levels = Counter(one.level for one in chosen.left_out)
    order = Order(formats=tuple(formats), version=__version__, day=day, left_out=counted(levels))
    done = _written(store, chosen.ids, folder, order)
    warn(chosen.levels, str(folder))
    if as_json:
        put_json(_json(folder, order, done, chosen.left_out))
    else:
        put_text(_text(folder, order, done, chosen.left_out))


def _confided(store: Store, told_index: str | None) -> Mapping[str, str]:
    """What an entry alone does not say: that it shares a file with one that may not go out.

    What else there is to say of the index is said by whatever chose from it; a bag that is damaged is refused.
    """
    index = reached(store, told_index)
    try:
        index.catch_up(store)
        return index.confided()
    finally:
        index.close()


def _chosen(
    store: Store, ids: Iterable[str], confided: Mapping[str, str], kept_back: frozenset[str]
) -> Chosen:
    """What is to be exported; what entries say is read from the bags, not from an index that may be old."""
    chosen: list[str] = []
    left_out: list[LeftOut] = []
    levels: Counter[str] = Counter()
    for id in sorted(set(ids)):
        entry = store.entry(id)
        level = highest(
            Custody(confidentiality=told) for told in (entry.confidentiality, confided.get(id, ""))
        )
        if level in kept_back:
            left_out.append(LeftOut(entry.id, entry.kind, entry.title, level))
        else:
            chosen.append(id)
            levels[level] += 1
    return Chosen(ids=chosen, left_out=left_out, levels=levels)


def _nothing(left_out: Sequence[LeftOut]) -> Diagnostic:
    if left_out:
        levels = Counter(one.level for one in left_out)
        message = f"nothing to export: {counted(levels)} would be all of it"
        hint = "--with-confidential exports confidential entries too"
    else:
        message, hint = "nothing to export: no entry is chosen", "fiche archive list shows entries"
    return Diagnostic(code="F960", message=message, address=None, hint=hint)


def _written(store: Store, ids: Sequence[str], folder: Path, order: Order) -> Exported:
    """The folder whole under another name, on the disk, and then renamed."""
    progress = Progress("exporting", len(ids))
    with new_folder(folder) as partial:
        try:
            done = export(store, ids, partial, order, progress.reached)
        finally:
            progress.ended()
        (partial / README).write_text(readme(order, done), encoding="utf-8")
        to_disk()
    return done


def _text(folder: Path, order: Order, done: Exported, left_out: Sequence[LeftOut]) -> str:
    lines = [
        f"{folder}: {count(done.entries, 'entry')}, {count(done.rows, 'row')},"
        f" {count(done.files, 'file')}, {exact(done.num_bytes)} bytes",
        f"written: {', '.join(order.formats)}",
    ]
    if left_out:
        lines.append(f"left out: {order.left_out}")
        lines += [f"  {one.id}  {one.level}: {one.kind}, {one.title}" for one in left_out]
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
        "left_out": [
            {"id": one.id, "kind": one.kind, "title": one.title, "confidentiality": one.level}
            for one in left_out
        ],
    }
