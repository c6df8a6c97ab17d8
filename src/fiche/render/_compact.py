"""Takes objects out of a PDF that is about to be written, and closes the gaps in its numbering.

pydyf would write a freed object's number all the same, and as one in use; so the others move up and
every reference to them follows.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import pydyf

# Of pydyf, which has no types.
Pdf: TypeAlias = Any
Value: TypeAlias = Any

_REFERENCE = re.compile(r"(\d+) 0 R")


def compact(pdf: Pdf, dropped: set[int]) -> None:
    """Leave out the objects of these numbers, which nothing else may refer to.

    Raises:
        KeyError: something that stays refers to one of them.
    """
    kept = [o for o in pdf.objects if o.number not in dropped]
    moved = {o.number: n for n, o in enumerate(kept)}
    pdf.pages["Kids"][::3] = [moved[n] for n in pdf.pages["Kids"][::3]]
    for thing in kept:
        thing.number = moved[thing.number]
        _follow(thing, moved)
    pdf.objects[:] = kept


def _follow(value: Value, moved: dict[int, int]) -> Value:
    """The value, its references renumbered; containers are changed in place."""
    if isinstance(value, pydyf.Stream):
        _follow(value.extra, moved)
    elif isinstance(value, dict):
        for key, inner in value.items():
            value[key] = _follow(inner, moved)
    elif isinstance(value, list | tuple):
        followed = [_follow(inner, moved) for inner in value]
        if isinstance(value, tuple):
            return tuple(followed)
        value[:] = followed
    elif isinstance(value, bytes | str):
        return _renumbered(value, moved)
    return value


def _renumbered(value: bytes | str, moved: dict[int, int]) -> bytes | str:
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    found = _REFERENCE.fullmatch(text)
    if not found:
        return value
    renumbered = f"{moved[int(found[1])]} 0 R"
    return renumbered.encode("ascii") if isinstance(value, bytes) else renumbered
