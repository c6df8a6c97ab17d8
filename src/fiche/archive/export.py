"""An export: chosen entries of an archive in forms that other programs read, in one new folder.

Entries are taken one at a time, so memory does not grow with the archive. The folder is written under another
name; who calls this renames it when all of it is there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Protocol

from fiche.archive.bag import tag_files
from fiche.archive.entry import Entry
from fiche.archive.export_tables import Line, lines
from fiche.archive.identity import bag_path
from fiche.archive.local import LocalStore
from fiche.archive.store import Store
from fiche.kernel.record import record

FORMATS = ("crate", "parquet", "csv", "bags")
README = "README.txt"
# What has an export besides the tables: the files of the entries, in bags or on their own.
_ENTRIES, _BAGS = "entries", "bags"


@record
class Order:
    """What is to be written: formats of `FORMATS`, the version of fiche, the day that the crate bears.

    `left_out` says in words how many entries may not go out, and of which confidentiality.
    """

    formats: Collection[str]
    version: str
    day: str
    left_out: str = ""

    @property
    def copies(self) -> bool:
        """True where the files of entries are copied."""
        return bool({"crate", "bags"} & set(self.formats))

    def root_of(self, id: str) -> str:
        """The folder of an entry in the export, with a slash at its end; empty where there is none."""
        if "bags" in self.formats:
            return f"{bag_path(id)}/"
        return f"{_ENTRIES}/{id}/" if "crate" in self.formats else ""

    def place(self, id: str, path: str) -> str:
        """Where the copy of a file lies; empty where none is made."""
        inner = "data/" if "bags" in self.formats else ""
        return f"{self.root_of(id)}{inner}{path}" if self.copies else ""


@record
class Exported:
    """How much was written."""

    entries: int
    rows: int
    files: int
    num_bytes: int


class _Tables(Protocol):
    """The tables in one format, while they are open."""

    def add(self, name: str, values: Line) -> None: ...


def export(
    store: Store,
    ids: Sequence[str],
    folder: Path,
    order: Order,
    tick: Callable[[int], None] = lambda _: None,
) -> Exported:
    """Write the entries of these ids into a folder that is there and empty; `tick` hears of each.

    Raises:
        Refused: F932, F933 an entry is not there or not as it was written; F961 no pyarrow.
        OSError: the disk takes no more.
    """
    about = {"archive": store.id, "version": order.version, "day": order.day}
    about["left_out"] = f"Left out: {order.left_out}." if order.left_out else ""
    num_rows = num_files = num_bytes = 0
    with ExitStack() as stack:
        tables = [stack.enter_context(each) for each in _tables(order, folder, about)]
        crate = None
        if "crate" in order.formats:
            from fiche.archive.export_crate import Crate

            made = Crate(folder, about, order.place, order.root_of, frozenset(ids))
            crate = stack.enter_context(made)
        for number, id in enumerate(ids, 1):
            entry = store.entry(id)
            for name, values in lines(entry, order.place):
                for table in tables:
                    table.add(name, values)
            if crate is not None:
                crate.add(entry)
            _copied(store, entry, folder, order)
            num_rows += len(entry.rows)
            num_files += len(entry.files)
            num_bytes += sum(one.num_bytes for one in entry.files)
            tick(number)
    return Exported(entries=len(ids), rows=num_rows, files=num_files, num_bytes=num_bytes)


def _tables(
    order: Order, folder: Path, about: dict[str, str]
) -> Iterator[AbstractContextManager[_Tables]]:
    if "csv" in order.formats:
        from fiche.archive import export_csv

        yield export_csv.Tables(folder, about)
    if "parquet" in order.formats:
        from fiche.archive import export_parquet

        yield export_parquet.Tables(folder, about)


def _copied(store: Store, entry: Entry, folder: Path, order: Order) -> None:
    """The files of an entry, each as its digest says it is, and with bags what stands around them."""
    if not order.copies:
        return
    for one in entry.files:
        _put(folder / order.place(entry.id, one.path), store.content(entry.id, one.path))
    if "bags" in order.formats:
        for name, content in _tags(store, entry).items():
            _put(folder / order.root_of(entry.id) / name, content)


def _tags(store: Store, entry: Entry) -> dict[str, bytes]:
    """What is no payload of a bag: as it lies on the disk, or behind a URL as it was made from the entry."""
    made = tag_files(entry)
    if not isinstance(store, LocalStore):
        return made
    bag = store.root / bag_path(entry.id)
    return {name: (bag / name).read_bytes() for name in made}


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def readme(order: Order, done: Exported) -> str:
    """What lies in the folder, readable without fiche."""
    told = [
        "Entries of an archive of fiche",
        "",
        f"{done.entries} entries, {done.rows} rows, {done.files} files, {done.num_bytes} bytes.",
    ]
    if order.left_out:
        told.append(f"Left out: {order.left_out}.")
    told += ["", *(_SAID[each] for each in FORMATS if each in order.formats)]
    return "\n".join([*told, "", _UNITS, ""])


_SAID = {
    "crate": (
        "ro-crate-metadata.json   what is here, as a research object crate (RO-Crate 1.2)\n"
        "entries/UUID/            the files themselves, unless they lie in bags"
    ),
    "parquet": "parquet/*.parquet        tables: entries, rows, files; each column is described inside",
    "csv": "tables/*.csv             the same tables, described in tables/datapackage.json",
    "bags": "bags/ab/UUID/            the bags themselves (BagIt 1.0, RFC 8493), unchanged",
}
_UNITS = (
    "Every amount stands beside its unit and its origin: observed in a measurement, computed, assumed, or\n"
    "declared by a maker or seller. An empty cell is what is not told."
)


def to_disk() -> None:
    """Bring to the disk what was written, at once: one wait, where a wait for each file would take hours."""
    if hasattr(os, "sync"):
        os.sync()
