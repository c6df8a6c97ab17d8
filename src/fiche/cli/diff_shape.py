"""What a comparison reads of a decision.json, and the first place where a document is otherwise.

Looser than `schemas/decision.schema.json`: a document of another version of the tool may have keys of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

_Shape = object
_OR_NONE = "or none"


def _keys(kind: type, *names: str) -> dict[str, _Shape]:
    return dict.fromkeys(names, kind)


_FACT: dict[str, _Shape] = {"value": str}
_SIDE: dict[str, _Shape] = {_OR_NONE: {"id": str}}
SHAPE: Mapping[str, _Shape] = {
    **_keys(str, "title", "date", "author", "illustrative", "language"),
    "tool": {"version": str},
    "policy": {"strict": {"*": [str]}},
    "inputs": [_keys(str, "file", "role", "sha256")],
    "workload": {
        "facts": {"*": _FACT},
        "figures": {"*": str},
        "cases": [{**_keys(str, "id", "role"), "phases": [str], "dimensions": {"*": str}}],
        "reserve": [str],
        "margin": [str],
    },
    "figures": [_keys(str, "id", "unit")],
    "pieces": [{**_keys(str, "id", "file", "sha256", "kind"), "scope": {"*": _FACT}}],
    "requirements": [
        {
            **_keys(str, "id", "kind", "level"),
            "cases": [str],
            "implied": bool,
            "figures": {"*": str},
            "facts": {"*": _FACT},
        }
    ],
    "candidates": [
        {
            **_keys(str, "id", "gpu", "cards", "status"),
            "rank": {_OR_NONE: int},
            "offer": {_OR_NONE: str},
            "change": {_OR_NONE: _keys(str, "path", "from", "to")},
            "other_users": {_OR_NONE: _FACT},
        }
    ],
    "findings": [
        {
            **_keys(str, "candidate", "requirement", "kind", "case", "device", "verdict"),
            "reason_code": str,
            "pieces": [str],
            **dict.fromkeys(("need", "have", "margin"), _SIDE),
        }
    ],
    "choice": {_OR_NONE: {}},
    "invalidated_by": [_FACT],
}
_NAMES = {str: "a text", int: "a whole number", bool: "true or false"}


def misfits(value: object, shape: _Shape = SHAPE, place: str = "") -> Iterator[str]:
    """Each place that is not of its kind, as a JSON pointer and what should stand there."""
    if isinstance(shape, type):
        if not isinstance(value, shape) or (shape is int and isinstance(value, bool)):
            yield f"{place or '/'} is not {_NAMES[shape]}"
    elif isinstance(shape, list):
        yield from _list(value, shape[0], place)
    elif isinstance(shape, dict) and _OR_NONE in shape:
        yield from () if value is None else misfits(value, shape[_OR_NONE], place)
    elif isinstance(shape, Mapping):
        yield from _object(value, shape, place)


def _list(value: object, shape: _Shape, place: str) -> Iterator[str]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        yield f"{place} is not a list"
        return
    for number, each in enumerate(value):
        yield from misfits(each, shape, f"{place}/{number}")


def _object(value: object, shape: Mapping[str, _Shape], place: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{place or 'it'} is not an object"
        return
    if "*" in shape:
        for key, each in value.items():
            yield from misfits(each, shape["*"], f"{place}/{key}")
        return
    for key, inner in shape.items():
        if key in value:
            yield from misfits(value[key], inner, f"{place}/{key}")
        else:
            yield f"{place}/{key} is missing"
