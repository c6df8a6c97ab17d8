"""Rows of foreign files: CSV cells by their header, JSON objects with numbers as printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fiche.market._lines import csv_rows, refused


def cells(
    content: bytes, file: str, needed: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, str]]]:
    """(place, cells by column) of each row; a row of another width is told by an empty mapping.

    Raises:
        Refused: F621 it is no CSV, F620 a column is missing.
    """
    rows = csv_rows(content, file)
    header = [name.strip() for name in next(rows, [])]
    missing = [name for name in needed if name not in header]
    if missing:
        raise refused("F620", f"the column '{missing[0]}' is missing", file, 1)
    for line, row in enumerate(rows, start=2):
        place = f"line {line}"
        yield place, dict(zip(header, row, strict=True)) if len(row) == len(header) else {}


def header_of(content: bytes) -> frozenset[str]:
    """The words of the first line, as a CSV would have them."""
    first = content.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    return frozenset(first.decode("utf-8", "replace").strip().replace('"', "").split(","))


def document(content: bytes, file: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """A JSON document, numbers as their printed text.

    Raises:
        Refused: F621 it is no JSON, F101 it is not UTF-8.
    """
    try:
        return json.loads(
            content.decode("utf-8-sig"), parse_float=str, parse_int=str, parse_constant=str
        )
    except (ValueError, RecursionError) as error:
        raise refused("F621", f"this file is no JSON: {error}", file, 1) from None


def objects(found: object, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(JSON pointer, object) of each element of a list; what is no object is told by an empty one."""
    for place, each in enumerate(found if isinstance(found, list) else []):
        yield f"{path}/{place}", each if isinstance(each, dict) else {}


def text(told: dict[str, Any], key: str) -> str:
    """A single value as text; empty where there is none."""
    value = told.get(key)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.strip() if isinstance(value, str) else ""
