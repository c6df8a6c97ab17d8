"""A piece as lines of YAML: what is known as keys, what is to complete as comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fiche.kernel.address import Span
from fiche.load.node import Scalar

_STEP = 2
# Plain in block and in flow: no quote, colon, bracket, comma or mark of a comment anywhere.
_PLAIN = re.compile(r"[A-Za-z0-9_/][A-Za-z0-9_./+()@=-]*(?: [A-Za-z0-9_./+()@=-]+){0,20}")
# Words that an editor with older rules takes for true or false.
_OLD_WORDS = ("y", "n", "yes", "no", "on", "off")
# Numbers and days of older rules: 1_000, 0b1, 0o17, 0x1F, 1.5e3, 2026-01-01.
_OLD_NUMBER = re.compile(
    r"0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
)
# What a fiche itself writes as a day.
_DAYS = ("date", "keep_until")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
Value = str | int | dict[str, "str | int | dict[str, str]"] | tuple["Line", ...]


class Line(NamedTuple):
    """One key with its value, or a comment alone where there is no key.

    A value is a text, a whole number, a mapping on one line, or further lines below the key.
    `comment` stands behind the value. Texts hold no line break and no control character.
    """

    key: str = ""
    value: Value = ""
    comment: str = ""


def block_lines(entry: Sequence[Line], column: int) -> Iterator[str]:
    """The entry as an item of a block list whose dashes stand at `column`."""
    lead = " " * column + "- "
    for text in _block(entry, column + _STEP):
        yield lead + text[column + _STEP :] if lead else text
        lead = ""


def flow_lines(entry: Sequence[Line], column: int) -> Iterator[str]:
    """The entry as a mapping in braces over several lines, without a comma behind it."""
    yield " " * column + "{"
    yield from _flow(entry, column + _STEP)
    yield " " * column + "}"


def json_text(entry: Sequence[Line]) -> str:
    """The entry as JSON on one line; comments have no place there."""
    return json.dumps(plain(entry), ensure_ascii=False)


def plain(entry: Sequence[Line]) -> dict[str, object]:
    """What the lines say, as a loader reads them back."""
    return {
        line.key: plain(line.value) if isinstance(line.value, tuple) else line.value
        for line in entry
        if line.key
    }


def _block(entry: Sequence[Line], column: int) -> Iterator[str]:
    lead = " " * column
    for line in entry:
        if not line.key:
            yield f"{lead}# {line.comment}"
        elif isinstance(line.value, tuple):
            yield _commented(f"{lead}{line.key}:", line.comment)
            yield from _block(line.value, column + _STEP)
        else:
            yield _commented(f"{lead}{line.key}: {_value(line)}", line.comment)


def _flow(entry: Sequence[Line], column: int) -> Iterator[str]:
    lead = " " * column
    for line in entry:
        if not line.key:
            yield f"{lead}# {line.comment}"
        elif isinstance(line.value, tuple):
            yield _commented(f"{lead}{line.key}: {{", line.comment)
            yield from _flow(line.value, column + _STEP)
            yield f"{lead}}},"
        else:
            yield _commented(f"{lead}{line.key}: {_value(line)},", line.comment)


def _commented(text: str, comment: str) -> str:
    return f"{text}  # {comment}" if comment else text


def _value(line: Line) -> str:
    """The value of a key on one line; a day stands as a fiche writes days."""
    assert not isinstance(line.value, tuple)
    if line.key in _DAYS and isinstance(line.value, str) and _DAY.fullmatch(line.value):
        return line.value
    return inline(line.value)


def inline(value: str | int | dict[str, str | int | dict[str, str]] | dict[str, str]) -> str:
    """A value on one line, as it may stand in block and in flow."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{inline(k)}: {inline(v)}" for k, v in value.items()) + "}"
    return str(value) if isinstance(value, int) else scalar(value)


def scalar(text: str) -> str:
    """A text, in quotes where it would otherwise be read as something else."""
    bare = Scalar(Span(file="", line=1, column=1, text=text), plain=True)
    other = text.lower() in _OLD_WORDS or _OLD_NUMBER.fullmatch(text)
    if _PLAIN.fullmatch(text) and bare.kind == "str" and not other:
        return text
    return json.dumps(text, ensure_ascii=False)
