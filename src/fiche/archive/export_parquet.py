"""The tables of an export as Parquet, in groups of lines, so that memory does not grow with the archive."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiche.archive.export_tables import DIGITS, FORMAT, PLACES, TABLES, Column, Line
from fiche.archive.refusals import refused

if TYPE_CHECKING:
    import pyarrow

FOLDER = "parquet"
_GROUP = 20_000


def library() -> Any:  # noqa: ANN401 - pyarrow is untyped
    """Pyarrow, which writes Parquet.

    Raises:
        Refused: F961 it is not installed.
    """
    try:
        import pyarrow.parquet
    except ImportError:
        hint = "pip install 'fiche[parquet]', or ask for --formats csv"
        raise refused("F961", "Parquet files are written with pyarrow", hint) from None
    return pyarrow


class Tables:
    """The three files, open until the context ends."""

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None:
        self._arrow = library()
        self._folder, self._about = folder / FOLDER, about
        self._stack = ExitStack()
        self._writers: dict[str, Any] = {}
        self._schemas = {name: self._schema(name) for name in TABLES}
        self._waiting: dict[str, list[Line]] = {name: [] for name in TABLES}

    def __enter__(self) -> Tables:
        """Open the files."""
        self._folder.mkdir()
        for name, schema in self._schemas.items():
            stream = self._stack.enter_context((self._folder / f"{name}.parquet").open("wb"))
            writer = self._arrow.parquet.ParquetWriter(stream, schema, compression="zstd")
            self._writers[name] = writer
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Write what waits, and close them."""
        with self._stack:
            for name, writer in self._writers.items():
                if kind is None:
                    self._write(name)
                    writer.close()
                else:  # left open it would complain when it is collected
                    with contextlib.suppress(OSError):
                        writer.close()

    def add(self, name: str, values: Line) -> None:
        """One line of a table."""
        waiting = self._waiting[name]
        waiting.append(values)
        if len(waiting) >= _GROUP:
            self._write(name)

    def _write(self, name: str) -> None:
        lines, schema = self._waiting[name], self._schemas[name]
        if not lines:
            return
        columns = [
            self._arrow.array([_value(each) for each in values], type=field.type)
            for values, field in zip(zip(*lines, strict=True), schema, strict=True)
        ]
        batch = self._arrow.RecordBatch.from_arrays(columns, schema=schema)
        self._writers[name].write_batch(batch)
        lines.clear()

    def _schema(self, name: str) -> pyarrow.Schema:
        fields = [self._field(column) for column in TABLES[name]]
        about = {
            "format": FORMAT,
            "table": name,
            "fiche_version": self._about["version"],
            "archive": self._about["archive"],
            "left_out": self._about["left_out"],
            "columns": json.dumps({column.name: column.about for column in TABLES[name]}),
        }
        told = {f"fiche.{key}": text for key, text in about.items()}
        return self._arrow.schema(fields, metadata=told)

    def _field(self, column: Column) -> pyarrow.Field:
        arrow = self._arrow
        kinds = {
            "string": arrow.string,
            "strings": lambda: arrow.list_(arrow.string()),
            "texts": lambda: arrow.map_(arrow.string(), arrow.string()),
            "integer": arrow.int64,
            "decimal": lambda: arrow.decimal128(DIGITS, PLACES),
            "day": arrow.date32,
            "moment": lambda: arrow.timestamp("us", tz="UTC"),
        }
        about = {"description": column.about}
        return arrow.field(column.name, kinds[column.kind](), metadata=about)


def _value(value: object) -> object:
    """What is not told is null; a map is its pairs, in order."""
    if isinstance(value, Mapping):
        return sorted(value.items())
    return None if value == "" else value
