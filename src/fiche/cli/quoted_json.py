"""The member that a JSON pointer leads to, among its neighbours, with numbers as they are written."""

from __future__ import annotations

import json

# What is longer is not built again for one line of words: the pointer's own text must do.
MOST_BYTES = 16 * 1024 * 1024
_NEIGHBOURS = 8
_LONGEST_PATH = 120


class _Digits(str):
    """A number as the document writes it."""

    __slots__ = ()


def member_text(content: bytes, path: str) -> tuple[str, str, int]:
    """The pointer to the container in front, the container's members, and where the member begins in them.

    A pointer to a container shows its own members. Three empties where the text is no JSON, is longer than
    `MOST_BYTES`, or holds nothing there.
    """
    nothing = ("", "", 0)
    if len(content) > MOST_BYTES:
        return nothing
    steps = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]]
    try:
        here = json.loads(content, parse_int=_Digits, parse_float=_Digits, parse_constant=_Digits)
        parent, key = here, None
        for step in steps:
            parent, key = here, int(step) if isinstance(here, list) else step
            here = here[key]
    except (ValueError, LookupError, TypeError, RecursionError, MemoryError):
        return nothing
    if isinstance(here, dict | list):
        return (_named(path), *_members(here, None))
    if key is None or not isinstance(parent, dict | list):
        return ("", _shown(here), 0)
    return (_named(path.rpartition("/")[0]), *_members(parent, key))


def _named(path: str) -> str:
    shown = path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}…"
    return f"{shown}: " if shown else ""


def _members(container: dict[str, object] | list[object], key: object) -> tuple[str, int]:
    """The members around one, and where it begins."""
    pairs = container.items() if isinstance(container, dict) else enumerate(container)
    listed = list(pairs)
    place = next((n for n, (name, _) in enumerate(listed) if name == key), 0)
    first, last = max(0, place - _NEIGHBOURS), place + _NEIGHBOURS + 1
    keyed = isinstance(container, dict)
    told = [
        f"{json.dumps(name, ensure_ascii=False)}: {_shown(value)}" if keyed else _shown(value)
        for name, value in listed[first:last]
    ]
    opening = ("{" if keyed else "[") + ("…, " if first else "")
    closing = (", …" if last < len(listed) else "") + ("}" if keyed else "]")
    at = len(opening) + sum(len(one) + 2 for one in told[: place - first])
    return opening + ", ".join(told) + closing, at


def _shown(value: object) -> str:
    if isinstance(value, _Digits):
        return str(value)
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return "[…]" if value else "[]"
    return json.dumps(value, ensure_ascii=False)
