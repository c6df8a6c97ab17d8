"""JSON of a record, read strictly: no key twice, no fraction, no NaN, and a pointer for each fault.

`json` alone keeps the last of two equal keys and takes 1.0 for a whole number; a record is evidence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, cast

from fiche.assets import schema_text
from fiche.importers._json import NotJsonError
from fiche.kernel.follows import follows
from fiche.kernel.lazy import lazy
from fiche.kernel.record import field, record

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

_WHOLE = lazy(r"-?[0-9]{1,19}")


# A file with more is broken as a whole: a reader needs no list of a million.
_MOST_FAULTS = 1_000


@record(kw_only=False)
class Fault:
    """What is wrong at a path of keys and indexes."""

    code: str
    path: tuple[str | int, ...]
    message: str
    hint: str = ""


@record(frozen=False, kw_only=False)
class _Number:
    """A number that is no whole number of up to 19 digits, as written."""

    text: str


@record(frozen=False, kw_only=False)
class _Object:
    pairs: list[tuple[str, Any]] = field(default_factory=list)


class _UnusualError(ValueError):
    """Something that only the careful reading can judge: a key that stands twice, a fraction."""


def _plain(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _UnusualError
    return found


def _unusual(_: str) -> object:
    raise _UnusualError


# Nothing but unlike keys, texts, words and short whole numbers: what is wrong goes the careful way.
_PLAINLY = json.JSONDecoder(object_pairs_hook=_plain, parse_float=_unusual, parse_constant=_unusual)
_DIGITS = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x20 for byte in range(256))
_LONG = b"0" * 20


def decoded(text: str) -> tuple[object, list[Fault]]:
    """The value of a JSON text, and what is wrong with it as evidence.

    Raises:
        NotJsonError: the text is not JSON, or nested too deep.
    """
    plain = None if _may_be_unusual(text) else plainly(text)
    return _decoded(text) if plain is None else (plain, [])


def plainly(text: str) -> object | None:
    """The value of a JSON text in which nothing is wrong but, it may be, a number too long; else None."""
    if "\\ud" in text or "\\uD" in text:  # escapes that may name halves of characters
        return None
    with suppress(ValueError, RecursionError):
        return cast("object", _PLAINLY.decode(text))
    return None


def _may_be_unusual(text: str) -> bool:
    """Numbers of twenty digits."""
    return _LONG in text.encode("utf-8", "replace").translate(_DIGITS)


def _decoded(text: str) -> tuple[object, list[Fault]]:
    try:
        raw = json.loads(
            text,
            object_pairs_hook=_Object,
            parse_float=_Number,
            parse_int=lambda digits: int(digits) if _WHOLE.fullmatch(digits) else _Number(digits),
            parse_constant=_Number,
        )
        faults: list[Fault] = []
        return _settled(raw, (), faults), faults
    except json.JSONDecodeError as error:
        raise NotJsonError(
            f"{error.msg} at line {error.lineno} column {error.colno}", error.lineno
        ) from None
    except RecursionError:
        raise NotJsonError("nested too deep", 1) from None


def _settled(value: object, path: tuple[str | int, ...], faults: list[Fault]) -> object:
    """Plain values for what was read; faults for what no record may hold, but under `extra`."""
    if isinstance(value, _Object):
        return _object(value, path, faults)
    if isinstance(value, list):
        return [_settled(item, (*path, place), faults) for place, item in enumerate(value)]
    if isinstance(value, _Number):
        if "extra" not in path and len(faults) < _MOST_FAULTS:
            hint = "bytes, counts and nanoseconds are written in full: 8589934592, not 8.0e9"
            faults.append(Fault("F434", path, f"{value.text[:40]} is no whole number", hint))
        return value.text
    return _text(value) if isinstance(value, str) else value


def _text(text: str) -> str:
    """Halves of characters, which an escape of JSON may name, are no text."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _object(value: _Object, path: tuple[str | int, ...], faults: list[Fault]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, item in value.pairs:
        key = _text(name)
        if key in found and len(faults) < _MOST_FAULTS:
            faults.append(Fault("F433", (*path, key), f"the key {key!r} stands twice", "keep one"))
        found[key] = _settled(item, (*path, key), faults)
    return found


def follows_schema(document: object, name: str = "record") -> bool:
    """True where the schema of this name refuses nothing: asked first, for most records are right.

    Of many documents the library judges the later ones: setting it up is then worth its time.
    """
    if next(_asked) < _FEW and follows(document, _schema(name)):
        return True
    return bool(_validator(name).is_valid(document))


_FEW = 16
_asked = count()


def schema_faults(document: object, name: str = "record") -> Iterator[Fault]:
    """What the schema of this name refuses, each with its path."""
    expected = f"`fiche schema {name}` prints all that such a file may hold, with its meaning"
    for error in _validator(name).iter_errors(document):
        path = tuple(error.instance_path)
        yield Fault(_code(error), path, _message(error, path), expected)


def _code(error: ValidationError) -> str:
    return "F435" if error.schema_path[-1:] == ["minimum"] else "F432"


def _message(error: ValidationError, path: Sequence[str | int]) -> str:
    return f"{path[-1]}: {error.message}"[:400] if path else str(error.message)[:400]


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(_schema(name))


@cache
def _schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(schema_text(f"{name}.schema.json"))
    return found
