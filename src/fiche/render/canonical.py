"""One document, one row of bytes: JSON in the canonical form of RFC 8785, so that a digest is of what it says.

Keys stand in the order of their UTF-16 units, and nothing is escaped that need not be. What that form cannot
hold is told otherwise and never rounded: an integer beyond 2^53 - 1 is a string of its digits, and a lone
surrogate, which is no character, is written out as reports show it. A float is refused: no amount is one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from fiche.kernel.lazy import lazy

EXACT = 2**53 - 1
_SIMPLE = frozenset((str, bool, type(None)))
_SURROGATE = lazy("[\ud800-\udfff]")


def canonical(document: object) -> bytes:
    """The canonical bytes.

    Raises:
        TypeError: something has no form here: a float, a key that is no text.
    """
    if _is_plain(document):
        with suppress(UnicodeEncodeError):  # a lone surrogate
            return _written(document, sort_keys=True)
    return _written(_plain(document), sort_keys=False)


def _written(document: object, *, sort_keys: bool) -> bytes:
    told = json.dumps(document, ensure_ascii=False, sort_keys=sort_keys, separators=(",", ":"))
    return told.encode("utf-8")


def _is_plain(document: Any) -> bool:  # noqa: ANN401 - any JSON
    """True where the standard library writes the form itself: nearly always, and three times as fast.

    Lone surrogates are left to the encoding, which finds them without a look of its own.
    """
    seen: list[Any] = [document]
    known: set[tuple[str, ...]] = set()  # the keys of a figure are those of the figure before
    while seen:
        part = seen.pop()
        kind = type(part)
        if kind is dict:
            keys = tuple(part)
            if keys not in known:
                if not {str}.issuperset(map(type, keys)) or not "".join(keys).isascii():
                    return False
                known.add(keys)
            if not _SIMPLE.issuperset(map(type, part.values())):
                seen += [each for each in part.values() if type(each) is not str]
        elif kind is list or kind is tuple:
            if not _SIMPLE.issuperset(map(type, part)):
                seen += [each for each in part if type(each) is not str]
        elif kind is int:
            if not -EXACT <= part <= EXACT:
                return False
        elif part is not None and kind is not bool and not isinstance(part, str):
            return False
    return True


def _plain(part: Any) -> Any:  # noqa: ANN401 - any JSON
    """The same with its keys in order, of what the form can hold."""
    if isinstance(part, str):
        return _text(part)
    if part is None or isinstance(part, bool):
        return part
    if isinstance(part, int):
        return int(part) if -EXACT <= part <= EXACT else str(int(part))
    if isinstance(part, Mapping):
        told = {_text(key): _plain(value) for key, value in part.items()}
        return {key: told[key] for key in sorted(told, key=_units)}
    if isinstance(part, list | tuple):
        return [_plain(each) for each in part]
    raise TypeError(f"no canonical form: {type(part).__name__}")


def _text(text: str) -> str:
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda found: f"‹U+{ord(found[0]):04X}›", text)


def _units(key: str) -> bytes:
    """The order that RFC 8785 asks for; it differs from that of characters beyond U+FFFF only."""
    return key.encode("utf-16-be")
