"""JSON as other programs write it: exact numbers, bounded, and a pointer for everything (RFC 6901).

Fractions come as `Decimal`, never as floats; NaN and Infinity come as words. Of equal keys the last
counts, as it does for the programs that wrote them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from fiche.importers._refusal import refused
from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Refused
from fiche.kernel.lazy import lazy

Path = tuple[str | int, ...]
_MAX_DIGITS = 400
_START = lazy(rb"\s{0,1000}[\[{]")


class NotJsonError(Exception):
    """The text is no JSON; `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        """`message` says what is wrong."""
        self.line = line
        super().__init__(message)


def looks_like_json(content: bytes) -> bool:
    """True where an object or a list begins the text."""
    return _START.match(content) is not None


def value_of(text: bytes) -> object:
    """The value of a JSON text.

    Raises:
        NotJsonError: it is none, is nested too deep, or holds a number of hundreds of digits.
    """
    try:
        return json.loads(text, parse_float=_fraction, parse_int=_whole, parse_constant=str)
    except json.JSONDecodeError as error:
        raise NotJsonError(f"{error.msg} at column {error.colno}", error.lineno) from None
    except RecursionError:
        raise NotJsonError("nested too deep", 1) from None
    except ValueError as error:  # the text is no UTF-8, or a number is too long
        raise NotJsonError(str(error)[:200], 1) from None


def _whole(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError("a number has too many digits")
    return int(digits)


def _fraction(digits: str) -> Decimal | str:
    """A fraction, exactly as written; one that is absurdly long or large stays a word."""
    if len(digits) > _MAX_DIGITS:
        return digits
    try:
        value = Decimal(digits)
    except InvalidOperation:  # an exponent of tens of digits
        return digits
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > _MAX_DIGITS:
        return digits
    return value


def document(content: bytes, sha256: str, what: str) -> object:
    """The value of a file that is one JSON document.

    Raises:
        Refused: it is broken or breaks off (F428); `what` names it.
    """
    try:
        return value_of(content)
    except NotJsonError as error:
        raise not_json(error, sha256, what) from None


def not_json(error: NotJsonError, sha256: str, what: str) -> Refused:
    """The refusal of a document that cannot be read whole."""
    hint = "copy the file again: a document that is cut or edited is read in no part"
    return refused("F428", f"{what}: {error}", sha256, line=error.line, hint=hint)


def shape_wrong(path: Sequence[str | int], message: str, sha256: str) -> Refused:
    """The refusal of a document that is not built as its program builds it (F429)."""
    hint = "the file was written by another version, or edited; --kind names another importer"
    return refused("F429", message, sha256, path=pointer_text(path), hint=hint)


def records(content: bytes) -> Iterator[tuple[int, object]]:
    """The objects of a text with one JSON object a line, with their lines; other lines are left out."""
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.lstrip().startswith(b"{"):
            try:
                yield number, value_of(line)
            except NotJsonError:
                continue


def pointer_text(path: Sequence[str | int]) -> str:
    """RFC 6901."""
    return "".join([_step(key) for key in path])


@lru_cache(4096)
def _step(key: str | int) -> str:
    return "/" + str(key).replace("~", "~0").replace("/", "~1")


def pointer(
    sha256: str, path: Sequence[str | int], value: object, line: int | None = None
) -> Pointer:
    """The place of a value in a document, with the value as it is shown to people."""
    key = f"{path[-1]}: " if path else ""
    return Pointer(sha256=sha256, line=line, path=pointer_text(path), text=f"{key}{value}"[:400])


def whole(value: object) -> int | None:
    """A whole number, also where it is written as text or with a zero fraction; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else None
    if isinstance(value, str) and re.fullmatch(r"\s{0,9}-?[0-9]{1,30}\s{0,9}", value):
        return int(value)
    return None


def number(value: object) -> Decimal | None:
    """Any number, also where it is written as text; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, Decimal):
        return value
    if isinstance(value, str) and re.fullmatch(
        r"\s{0,9}-?[0-9]{1,30}(?:\.[0-9]{1,30})?\s{0,9}", value
    ):
        return Decimal(value.strip())
    return None


def walk(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Every member of a document with its path, parents first; by a stack, so depth costs nothing."""
    waiting: list[tuple[Path, object]] = [(path, value)]
    while waiting:
        here, item = waiting.pop()
        yield here, item
        if isinstance(item, dict):
            waiting.extend(((*here, key), item[key]) for key in reversed(item))
        elif isinstance(item, list):
            waiting.extend(((*here, place), item[place]) for place in reversed(range(len(item))))
