"""Rows as they stand in a file: CSV by chunks, JSON by lines, and where each of them starts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import Any

from fiche.kernel.address import Span
from fiche.kernel.diagnostic import Diagnostic, Refused

_CHUNK = 256  # rows that a processor keeps at hand
_DEEPEST = 4
_ENCODING = "save the file as UTF-8"
_ANY_END = re.compile(rb"\r\n|\r|\n")


def starts_of(content: bytes, lines: Sequence[int]) -> list[int]:
    """The bytes at which some lines start; lines are counted from 1."""
    told = content.split(b"\n", max(lines, default=1))
    ends = [0, *accumulate(len(line) + 1 for line in told)]
    return [ends[line - 1] for line in lines]


def lone_returns(content: bytes) -> bool:
    """True where a carriage return ends a line by itself, as csv counts lines and LF does not."""
    return b"\r" in content and content.count(b"\r") != content.count(b"\r\n")


def starts_in_csv(content: bytes, lines: Sequence[int]) -> list[int]:
    """The same where a carriage return ends a line too."""
    most = max(lines, default=1)
    ends = [0, *(found.end() for found in islice(_ANY_END.finditer(content), most))]
    return [ends[line - 1] for line in lines]


def csv_rows(content: bytes, name: str) -> Iterator[list[str]]:
    """The rows of a CSV, its header first; blank lines are no rows.

    Raises:
        Refused: F101 it is not UTF-8, F621 its quotes do not match or a cell is too long.
    """
    for chunk in csv_chunks(content, name):
        yield from filter(None, chunk)


def csv_chunks(content: bytes, name: str) -> Iterator[list[list[str]]]:
    """The same rows by some hundreds, blank lines among them."""
    read = _split if b'"' not in content and b"\r" not in content else _read
    try:
        yield from read(_text(content), name)
    except UnicodeDecodeError as error:
        raise _undecoded(error, content, name) from None


def _read(text: io.TextIOWrapper, name: str) -> Iterator[list[list[str]]]:
    reader = csv.reader(text, strict=True)
    try:
        while chunk := list(islice(reader, _CHUNK)):
            yield chunk
    except csv.Error as error:
        raise refused("F621", f"this row is no CSV: {error}", name, reader.line_num) from None


def _split(text: io.TextIOWrapper, name: str) -> Iterator[list[list[str]]]:
    """Where nothing is quoted, a comma ends a cell and a line a row: the same rows in half of the time."""
    most, before = csv.field_size_limit(), 0
    while lines := list(islice(text, _CHUNK)):
        rows = [line.rstrip("\n").split(",") for line in lines]
        if max(map(len, lines)) > most:
            long = (at for at, row in enumerate(rows) if max(map(len, row)) > most)
            for at in long:
                message = f"this row is no CSV: field larger than field limit ({most})"
                raise refused("F621", message, name, before + at + 1)
        yield rows if "\n" not in lines else [row if row != [""] else [] for row in rows]
        before += len(lines)


def _undecoded(error: UnicodeDecodeError, content: bytes, name: str) -> Refused:
    """Text is decoded by pieces, so the line is looked for in the whole."""
    try:
        content.decode()
    except UnicodeDecodeError as whole:
        line = content.count(b"\n", 0, whole.start) + 1
        return refused("F101", f"{content[whole.start]:#04x} is not UTF-8", name, line, _ENCODING)
    return refused(
        "F101", str(error), name, 1, _ENCODING
    )  # pragma: no cover - it was no UTF-8 just now


def _text(content: bytes) -> io.TextIOWrapper:
    """The text behind a byte order mark, decoded as it is read."""
    return io.TextIOWrapper(
        io.BytesIO(content.removeprefix(b"\xef\xbb\xbf")), encoding="utf-8", newline=""
    )


def line_of_csv(content: bytes, row: int) -> int:
    """The line of a row: a cell may hold line ends, so rows are counted anew."""
    text = _text(content)
    reader, line = csv.reader(text, strict=True), 1
    seen = -2
    for cells in reader:
        seen += bool(cells)
        if seen == row:
            return line
        line = reader.line_num + 1
    return line


def objects_of_lines(content: bytes, name: str) -> Iterator[tuple[int, Any]]:
    """(line, offer) of each line that is not blank; numbers keep their text."""
    for line, text in enumerate(io.BytesIO(content), start=1):
        if text.strip():
            yield line, object_of(text, name, line)


def object_of(text: bytes, name: str, line: int) -> dict[str, Any]:
    """The object of a line.

    Raises:
        Refused: F101 it is not UTF-8, F621 it is no object, or says a key twice.
    """
    import json

    read = json.JSONDecoder(
        parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_once
    ).decode
    try:
        row = read(text.decode("utf-8").strip())
    except UnicodeDecodeError as error:
        message = f"{error.object[error.start]:#04x} is not UTF-8"
        raise refused("F101", message, name, line, _ENCODING) from None
    except (ValueError, RecursionError) as error:
        raise refused("F621", f"this line is no JSON: {error}", name, line) from None
    if not isinstance(row, dict):
        raise refused("F621", "this line is no offer", name, line, "write one object a line")
    return row


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A key that stands twice would hide what it says first (law 8).

    Raises:
        ValueError: it does.
    """
    told = dict(pairs)
    if len(told) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!a} stands twice")
    return told


def flattened(told: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every single value of nested objects with its dotted path; words of a list are joined by blanks.

    Lists of objects (documents) and what lies deeper than any key of an offer are left out: no criterion reads
    them.
    """
    for key, value in told.items():
        if isinstance(value, str):
            yield prefix + key, value
        elif isinstance(value, dict) and prefix.count(".") < _DEEPEST:
            yield from flattened(value, f"{prefix}{key}.")
        elif isinstance(value, bool):
            yield prefix + key, "true" if value else "false"
        elif isinstance(value, list) and all(isinstance(each, str) for each in value):
            yield prefix + key, " ".join(value)


def refused(code: str, message: str, name: str, line: int, hint: str = "") -> Refused:
    """One thing that is wrong, on a line of a file."""
    place = Span(file=name, line=line, column=1)
    return Refused([Diagnostic(code=code, message=message, address=place, hint=hint)])
