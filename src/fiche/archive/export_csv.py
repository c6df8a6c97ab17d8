"""The tables of an export as CSV with their descriptor, one line at a time.

A list is its items with a blank between them, a label `name=text`. A word that a spreadsheet would take for a
formula begins with an apostrophe; no number is touched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from fiche.archive.export_tables import FORMAT, TABLES, Line
from fiche.render.canonical import canonical
from fiche.render.csv import DESCRIPTOR, line

FOLDER = "tables"
_TYPES = {"integer": "integer", "decimal": "number", "day": "date", "moment": "datetime"}


class Tables:
    """The three files, open until the context ends; then their descriptor is written."""

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None:
        self._folder, self._about = folder / FOLDER, about
        self._streams: dict[str, BinaryIO] = {}
        self._digests = {name: hashlib.sha256() for name in TABLES}
        self._lengths = dict.fromkeys(TABLES, 0)
        self._stack = ExitStack()

    def __enter__(self) -> Tables:
        """Open the files and write their headings."""
        self._folder.mkdir()
        for name, columns in TABLES.items():
            path = self._folder / f"{name}.csv"
            self._streams[name] = self._stack.enter_context(path.open("wb"))
            self._put(name, tuple(column.name for column in columns))
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Close them; what went wrong is described by nobody."""
        self._stack.close()
        if kind is None:
            (self._folder / DESCRIPTOR).write_bytes(canonical(self._descriptor()))

    def add(self, name: str, values: Line) -> None:
        """One line of a table."""
        self._put(name, tuple(map(_plain, values)))

    def _put(self, name: str, values: Line) -> None:
        content = line(values).encode("utf-8")
        self._digests[name].update(content)
        self._lengths[name] += len(content)
        self._streams[name].write(content)

    def _descriptor(self) -> dict[str, object]:
        return {
            "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
            "name": "fiche-archive-tables",
            "id": self._about["archive"],
            "title": f"Tables of an archive of fiche ({FORMAT})",
            "version": self._about["version"],
            "description": (
                "Empty cells are what is not told. Words that a spreadsheet would take for a formula begin "
                f"with an apostrophe. {self._about['left_out']}"
            ).rstrip(),
            "resources": list(self._resources()),
        }

    def _resources(self) -> Iterator[dict[str, object]]:
        for name, columns in TABLES.items():
            yield {
                "name": name,
                "path": f"{name}.csv",
                "type": "table",
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                "bytes": self._lengths[name],
                "hash": f"sha256:{self._digests[name].hexdigest()}",
                "dialect": {"lineTerminator": "\r\n", "doubleQuote": True, "header": True},
                "schema": {
                    "fields": [
                        {
                            "name": c.name,
                            "type": _TYPES.get(c.kind, "string"),
                            "description": c.about,
                        }
                        for c in columns
                    ],
                    "missingValues": [""],
                },
            }


def _plain(value: object) -> object:
    """A list and labels as one text; a moment as the archive writes one."""
    if isinstance(value, tuple):
        return " ".join(value)
    if isinstance(value, Mapping):
        return " ".join(f"{name}={text}" for name, text in value.items())
    moment = getattr(value, "strftime", None)
    if moment is not None and hasattr(value, "hour"):
        return moment("%Y-%m-%dT%H:%M:%SZ")
    return f"{value:f}" if type(value).__name__ == "Decimal" else value
