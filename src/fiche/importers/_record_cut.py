"""A record whose one JSON document breaks off: what stands whole before the cut is read, nothing else.

A text breaks off where some end makes it JSON; one that no end mends is broken inside, and refused. What
was being written at the cut is dropped: a key with half a value, a phase that is not whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fiche.importers._json import NotJsonError
from fiche.importers._record_json import Fault, decoded
from fiche.kernel.lazy import lazy
from fiche.kernel.record import record

_PART = lazy(r'["{}\[\]]')
_STRING = lazy(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
# What may end a string that breaks off in an escape.
_ESCAPE = lazy(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_WORD = lazy(r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul)\Z")
_WORDS = ("true", "false", "null")
# Makes half a key unlike every whole one.
_UNLIKE = "~cut"
_LISTS = ("phases", "unfinished")
_DEEPEST = 900


@record(kw_only=False)
class Cut:
    """What stands before the cut, with what is wrong with it as evidence."""

    document: dict[str, Any]
    faults: tuple[Fault, ...]


def cut_document(text: str) -> Cut | None:
    """The keys and list items that are whole; None where the text does not simply break off."""
    text = text.rstrip("\0")
    opened, in_string = _opened(text)
    if not opened or opened[0] != "{" or len(opened) > _DEEPEST:
        return None
    closing = "".join({"{": "}", "[": "]"}[each] for each in reversed(opened))
    for end in _ends(text, in_string):
        try:
            value, faults = decoded(text + end + closing)
        except NotJsonError:
            continue
        if isinstance(value, dict):
            return Cut(_whole(value, len(opened), torn=bool(end)), tuple(faults))
    return None


def _opened(text: str) -> tuple[list[str], bool]:
    """The brackets that are open at the end, and whether a string is."""
    opened: list[str] = []
    at = 0
    while (found := _PART.search(text, at)) is not None:
        at, mark = found.end(), found[0]
        if mark == '"':
            string = _STRING.match(text, at)
            if string is None:
                return opened, True
            at = string.end()
        elif mark in "{[":
            opened.append(mark)
        elif opened:
            opened.pop()
    return opened, False


def _ends(text: str, in_string: bool) -> Iterator[str]:
    """What may stand between the cut and the closing brackets."""
    if in_string:
        found = _open_escape(text)
        rest = "" if found is None else "\\" if found == "\\" else "0" * (6 - len(found))
        yield from (f'{rest}{_UNLIKE}"', f'{rest}{_UNLIKE}":0')
        return
    yield ""
    word = _WORD.search(text)
    if word is not None:
        yield from (each.removeprefix(word[0]) for each in _WORDS if each.startswith(word[0]))
    yield from ("0", ":0", '"":0')


def _open_escape(text: str) -> str | None:
    """The escape that the text breaks off in: a backslash that none before it escapes."""
    found = _ESCAPE.search(text)
    if found is None:
        return None
    before = text[: found.start()]
    escaped = (len(before) - len(before.rstrip("\\"))) % 2
    return None if escaped else found[0]


def _whole(document: dict[str, Any], depth: int, *, torn: bool) -> dict[str, Any]:
    """Without what was being written: `torn` where something had to be put behind the cut."""
    if depth == 1 and not torn:
        last = next(reversed(document), None)
        return document if last is None else _without_number(document, last)
    key = next(reversed(document))
    value = document[key]
    kept = {name: each for name, each in document.items() if name != key}
    if key in _LISTS and isinstance(value, list):
        kept[key] = value[:-1] if depth > 2 or torn else value
    return kept


def _without_number(document: dict[str, Any], last: str) -> dict[str, Any]:
    """A number at the very end may have had more digits."""
    if isinstance(document[last], int) and not isinstance(document[last], bool):
        return {name: each for name, each in document.items() if name != last}
    return document
