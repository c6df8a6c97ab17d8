"""Keys and values of a GGUF header as plain values; what is long is kept by its length only."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from fractions import Fraction

from fiche.checkpoints._gguf_cursor import Cursor
from fiche.checkpoints._refusal import refused, short
from fiche.kernel.config import Json
from fiche.kernel.diagnostic import Refused

# Lists by layer have some hundred entries, vocabularies thousands.
LONGEST_LIST = 512
LONGEST_TEXTS = 64
LONGEST_TEXT = 4096
_LONGEST_KEY = 65_535
_MAX_VALUES = 4096
_LEAST = 1 + 4 + 1  # bytes of a key, its type and a value at the very least
_KINDS: Mapping[int, tuple[str, str]] = {
    0: ("uint8", "B"),
    1: ("int8", "b"),
    2: ("uint16", "H"),
    3: ("int16", "h"),
    4: ("uint32", "I"),
    5: ("int32", "i"),
    6: ("float32", "f"),
    7: ("bool", "B"),
    8: ("string", ""),
    9: ("array", ""),
    10: ("uint64", "Q"),
    11: ("int64", "q"),
    12: ("float64", "d"),
}
_BOOL, _STRING, _ARRAY = 7, 8, 9
_COPY = "the file is cut or damaged: copy it again and compare its digest"


def metadata(cursor: Cursor, count: int) -> dict[str, Json]:
    """The values by key. A long array is `{"kind": "array", "of": ..., "length": ...}`.

    Raises:
        Refused: F816 cut, F818 a value that the format does not allow, or a key twice.
    """
    if count > _MAX_VALUES or count * _LEAST > cursor.left:
        raise _odd(cursor, f"it says that it has {count} values")
    found: dict[str, Json] = {}
    for _ in range(count):
        key = _key(cursor)
        if key in found:
            raise _odd(cursor, f"the key '{short(key)}' stands twice")
        found[key] = _value(cursor, cursor.whole("I"))
    return found


def _key(cursor: Cursor) -> str:
    length = cursor.count()
    if length > _LONGEST_KEY:
        raise _odd(cursor, f"a key of {length} bytes")
    try:
        return cursor.take(length).decode("utf-8")
    except UnicodeDecodeError:
        raise _odd(cursor, "a key is not UTF-8") from None


def _value(cursor: Cursor, kind: int) -> Json:
    if kind not in _KINDS:
        raise _odd(cursor, f"a value of the unknown kind {kind}")
    if kind == _STRING:
        return _text(cursor)
    if kind == _ARRAY:
        return _array(cursor)
    return _plain(cursor, kind)


def _plain(cursor: Cursor, kind: int) -> Json:
    return _exact(cursor, kind, cursor.number(_KINDS[kind][1]))


def _exact(cursor: Cursor, kind: int, number: int | float) -> Json:
    """A number without rounding: int where it is whole; what is no number is its name."""
    if kind == _BOOL:
        if number not in (0, 1):
            raise _odd(cursor, f"{number} is neither true nor false")
        return bool(number)
    if isinstance(number, int):
        return number
    if number != number or number in (float("inf"), float("-inf")):
        return str(number)
    exact = Fraction(number)
    return exact.numerator if exact.denominator == 1 else exact


def _text(cursor: Cursor) -> Json:
    length = cursor.count()
    if length > LONGEST_TEXT:
        cursor.skip(length)
        return {"kind": "string", "length": length}
    return cursor.take(length).decode("utf-8", "replace")


def _array(cursor: Cursor) -> Json:
    kind, length = cursor.whole("I"), cursor.count()
    if kind not in _KINDS or kind == _ARRAY:  # ggml reads no array of arrays either
        raise _odd(cursor, f"an array of the kind {kind}")
    if length > (LONGEST_TEXTS if kind == _STRING else LONGEST_LIST):
        _skip_array(cursor, kind, length)
        return {"kind": "array", "of": _KINDS[kind][0], "length": length}
    if kind == _STRING:
        return [_text(cursor) for _ in range(length)]
    form = struct.Struct(f"{cursor.order}{length}{_KINDS[kind][1]}")
    return [_exact(cursor, kind, each) for each in form.unpack(cursor.take(form.size))]


def _skip_array(cursor: Cursor, kind: int, length: int) -> None:
    if kind == _STRING:
        cursor.skip_texts(length)
    else:
        cursor.skip(length * struct.calcsize(cursor.order + _KINDS[kind][1]))


def _odd(cursor: Cursor, what: str) -> Refused:
    return refused("F818", cursor.source.name, what, _COPY, at=cursor.at)
