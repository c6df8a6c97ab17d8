"""JSON of model files, read strictly: no key twice, no float, and a line and column for each fault.

`json` alone keeps the last of two equal keys, rounds numbers to floats and computes 1e999999999.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction

from fiche.checkpoints._refusal import refused, refused_at, short
from fiche.kernel.config import Json
from fiche.kernel.diagnostic import Refused

MAX_DEPTH = 64
# Far beyond what a float of 64 bits can hold, which is what these numbers come from.
MAX_DIGITS = 1100
# The largest index names some 150 000 tensors; a million small values take some 150 MB.
MAX_VALUES = 1_000_000
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00")
_BOM = b"\xef\xbb\xbf"
_LFS = "version https://git-lfs"
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]++', re.DOTALL)
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)")
_CONSTANTS = {"NaN", "Infinity", "-Infinity"}


def json_object(
    content: bytes, file: str, limit: int, *, constants: bool = False
) -> tuple[dict[str, Json], str]:
    """The object that a file holds, and its text.

    Whole numbers are int however they are written, all others Fraction. `constants` lets in the words
    that Python writes for numbers that are none (`Infinity` in configurations of Mamba 2), as texts.

    Raises:
        Refused: F801 longer than `limit` bytes, F802 not UTF-8, F803 not JSON, F804 a key twice,
            F805 too deep, too many values or a number too long, F806 something else than an object.
    """
    if len(content) > limit:
        message = f"it has {len(content)} bytes, more than {limit // 2**20} MiB"
        raise refused("F801", file, message, "name the file itself, not an archive or its weights")
    if content.count(b",") + content.count(b"[") + content.count(b"{") > MAX_VALUES:
        message = f"it holds more than {MAX_VALUES} values"
        raise refused("F805", file, message, "no file that describes a model needs so many")
    text = decoded(content, file)
    value = _parsed(text, file, constants=constants)
    if not isinstance(value, dict):
        hint = "the file must hold one object: { ... }"
        raise refused_at("F806", file, text, 0, "this is no JSON object", hint)
    return value, text


def decoded(content: bytes, file: str) -> str:
    """The text of a file.

    Raises:
        Refused: F802 it is not UTF-8, or starts with a byte order mark.
    """
    if content.startswith((_BOM, *_WIDE)) or content[1:2] == b"\x00":
        message = "the file starts with a byte order mark, or is UTF-16"
        raise refused_at("F802", file, "", 0, message, _SAVE)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        message = f"byte 0x{content[error.start]:02x} is not UTF-8"
        raise refused_at("F802", file, before, len(before), message, _SAVE) from None


_SAVE = "save the file as UTF-8 without a mark, or copy it again"


class _TwiceError(Exception):
    """A key stands twice in one object; holds it."""


class _TooLongError(Exception):
    """A number has too many digits; holds it as written."""


class _NoNumberError(Exception):
    """NaN or Infinity where no such word may stand."""


def _parsed(text: str, file: str, *, constants: bool) -> Json:
    try:
        value: Json = json.loads(
            text,
            object_pairs_hook=_pairs,
            parse_float=number,
            parse_int=_whole,
            parse_constant=str if constants else _no_number,
        )
    except json.JSONDecodeError as error:
        at = min(error.pos, len(text))
        raise refused_at(
            "F803", file, text, at, f"this is no JSON: {error.msg}", _hint(text)
        ) from None
    except RecursionError:
        raise _too_deep(text, file) from None
    except _TwiceError as error:
        raise _twice(text, file, str(error)) from None
    except _TooLongError as error:
        raise _at_token(text, file, error, "F805", "a number has too many digits") from None
    except _NoNumberError as error:
        raise _at_token(text, file, error, "F803", f"{error} is no number in JSON") from None
    return _checked(value, text, file)


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        left = list(found)
        # dict keeps the place of a key's first occurrence: the first key out of step stands twice.
        raise _TwiceError(
            next(k for (k, _), kept in zip(pairs, [*left, None], strict=False) if k != kept)
        )
    return found


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _TooLongError(digits)
    return int(digits)


def number(text: str) -> int | Fraction:
    """A number with a point or an exponent, exactly as written; int where it is whole."""
    exponent = _EXPONENT.search(text)
    far = exponent is not None and (len(exponent[1]) > 5 or abs(int(exponent[1])) > MAX_DIGITS)
    if len(text) > 2 * MAX_DIGITS or far:
        raise _TooLongError(text)
    found = Fraction(text)
    return found.numerator if found.denominator == 1 else found


def _no_number(word: str) -> Json:
    raise _NoNumberError(word)


def _checked(value: Json, text: str, file: str) -> Json:
    """The same value, if it is not too deep and every text in it can be written again."""
    if text.count("{") + text.count("[") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise _too_deep(text, file)
    half = _HALF.search(text) if "\\u" in text else None
    if half is not None and not _writable(value):
        message = "an escape stands for half a character"
        raise refused_at("F803", file, text, half.start(), message, "write the character itself")
    return value


def _depth(value: Json) -> int:
    """How many objects and lists lie inside each other, counted up to one too many."""
    level: list[Json] = [value]
    depth = 0
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [inner for each in level for inner in _inside(each)]
    return depth


def _inside(value: Json) -> list[Json]:
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [each for each in held if isinstance(each, (dict, list))]


def _writable(value: Json) -> bool:
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _hint(text: str) -> str:
    if text.startswith(_LFS):
        return "this is a Git LFS pointer, not the file: run `git lfs pull`"
    if text.lstrip()[:1] == "<":
        return "this is a web page: download the file itself"
    return "copy the file again, or put it right at this place"


def places(text: str) -> Iterator[tuple[tuple[str | int, ...], int, bool]]:
    """The path of each key and each value of a JSON text with its index; True for keys."""
    path: list[str | int] = []
    awaits_key = False
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in "}]":
            if path:
                path.pop()
            awaits_key = False
        elif word == ",":
            awaits_key = _next(path)
        elif word == ":":
            awaits_key = False
        elif awaits_key:
            path[-1] = _text(word)
            yield tuple(path), token.start(), True
        else:
            yield tuple(path), token.start(), False
            if word in "{[":
                path.append("" if word == "{" else 0)
                awaits_key = word == "{"


def _next(path: list[str | int]) -> bool:
    """Step on to the next item of a list; True where a key comes next."""
    last = path[-1] if path else 0
    if isinstance(last, int):
        if path:
            path[-1] = last + 1
        return False
    return True


def _text(word: str) -> str:
    try:
        return str(json.loads(word))
    except ValueError:
        return word


def place(text: str, path: tuple[str | int, ...]) -> int:
    """The index of the value at a path; 0 where there is none."""
    return next((at for found, at, is_key in places(text) if found == path and not is_key), 0)


def _twice(text: str, file: str, key: str) -> Refused:
    seen: set[tuple[str | int, ...]] = set()
    message = f"the key '{short(key)}' stands twice in one object"
    for path, at, is_key in places(text):
        if is_key and path[-1] == key:
            if path in seen:
                return refused_at("F804", file, text, at, message, "keep the one that counts")
            seen.add(path)
    return refused_at("F804", file, text, 0, message, "keep the one that counts")


def _too_deep(text: str, file: str) -> Refused:
    deep = (at for path, at, key in places(text) if len(path) >= MAX_DEPTH and not key)
    at = next(deep, 0)
    message = f"more than {MAX_DEPTH} levels inside each other"
    return refused_at("F805", file, text, at, message, "a model's file needs no more than a few")


def _at_token(text: str, file: str, error: Exception, code: str, message: str) -> Refused:
    word = str(error)
    at = next((token.start() for token in _TOKEN.finditer(text) if token[0] == word), 0)
    return refused_at(code, file, text, at, message, "write a plain number")
