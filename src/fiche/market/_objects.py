"""Offers in JSON lines, read as columns: what many rows say under one key is looked at in one go."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from fiche.market._lines import flattened, object_of, refused

_CHUNK = 256  # rows that a processor keeps at hand
_DEEPEST = 4
_WORDS = {True: "true", False: "false", "": ""}
_Row = dict[str, Any]
_Lines = Sequence[tuple[int, bytes]]


def columns_of_lines(
    content: bytes, name: str
) -> Iterator[tuple[list[int], dict[str, Sequence[str]]]]:
    """Some hundreds of rows after another: the lines they stand on, and their texts by path.

    Numbers keep their text; what a row does not state is empty.

    Raises:
        Refused: F101 a line is not UTF-8, F621 it is no object, or says a key twice; F301 a key has a dot.
    """
    told = ((line, text) for line, text in enumerate(io.BytesIO(content), start=1) if text.strip())
    while chunk := list(islice(told, _CHUNK)):
        rows = _quick(chunk)
        read = _columns(rows, chunk, name) if rows is not None else None
        if read is None or read[1] != _ends_of_keys(chunk):
            rows = [object_of(text, name, line) for line, text in chunk]
            read = _columns(rows, chunk, name)
        yield [line for line, _ in chunk], read[0]


_read = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str).raw_decode


def _quick(chunk: _Lines) -> list[_Row] | None:
    """The objects of some lines, None where they are to be looked at one by one."""
    rows: list[_Row] = []
    try:
        for _, text in chunk:
            words = text.decode().strip()
            row, end = _read(words)
            if end != len(words) or row.__class__ is not dict:
                return None
            rows.append(row)
    except (ValueError, RecursionError):
        return None
    return rows


def _ends_of_keys(chunk: _Lines) -> int:
    """As many keys as some lines have, or more: where no more were read, none stands twice.

    -1 where a key may stand apart from its colon, and this cannot be told.
    """
    whole = b"".join(text.rstrip() for _, text in chunk)
    apart = b"\t" in whole or b"\r" in whole or b'" ' in whole
    return -1 if apart else whole.count(b'":')


def _columns(
    rows: Sequence[_Row], chunk: _Lines, name: str
) -> tuple[dict[str, Sequence[str]], int]:
    """The texts of some rows by path, and how many keys they have."""
    columns: dict[str, Sequence[str]] = {}
    try:
        return columns, _spread(rows, "", columns)
    except _DottedError as dotted:
        line = next(
            line for (line, _), row in zip(chunk, rows, strict=True) if dotted.stands_in(row)
        )
        hint = 'nest it: {"price": {"amount": …}}'
        raise refused("F301", f"unknown key '{dotted}'", name, line, hint) from None


class _DottedError(ValueError):
    """A key with a dot would be taken for another one's path."""

    def stands_in(self, row: _Row) -> bool:
        """True where a row has this key, at any depth."""
        key = str(self)
        return key in row or any(
            self.stands_in(inner) for inner in row.values() if isinstance(inner, dict)
        )


def _spread(rows: Sequence[_Row], prefix: str, columns: dict[str, Sequence[str]]) -> int:
    """Enter what rows state under the keys of one level, and below; how many keys they have."""
    keys = sum(map(len, rows))
    whole: _Row = dict.fromkeys(chain.from_iterable(rows), "")
    told = zip(*[{**whole, **row}.values() for row in rows], strict=True)
    for key, values in zip(whole, told, strict=True):
        if "." in key:
            raise _DottedError(key)
        path = prefix + key
        if _are_texts(values):
            columns[path] = values
            continue
        kinds = set(map(type, values)) - {str}
        if kinds == {bool} and set(values) <= _WORDS.keys():
            columns[path] = list(map(_WORDS.__getitem__, values))
            continue
        inner = [value or {} for value in values] if kinds == {dict} else []
        if inner and set(map(type, inner)) == {dict} and prefix.count(".") < _DEEPEST:
            keys += _spread(inner, f"{path}.", columns)
        else:
            _one_by_one(key, values, prefix, columns)
    return keys


def _are_texts(values: Sequence[Any]) -> bool:
    try:
        "".join(values)
    except TypeError:
        return False
    return True


def _one_by_one(
    key: str, values: Sequence[Any], prefix: str, columns: dict[str, Sequence[str]]
) -> None:
    """What is a text here and something else there: true or false, null, a list, an object."""
    found: dict[str, list[str]] = {}
    for place, value in enumerate(values):
        for path, text in flattened({key: value}, prefix):
            found.setdefault(path, [""] * len(values))[place] = text
    columns.update(found)
