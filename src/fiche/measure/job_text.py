"""Jobs as processes are told of them: a JSON object whose keys and kinds are known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# What JSON value a key takes, in words for a person who wrote it by hand.
TEXT, COUNT, TABLE = "a text", "a whole number from 0", "an object"
TRUTH, TEXTS = "true or false", "a list of texts"

Kinds = Mapping[str, tuple[str, bool]]


def told_of(text: str, kinds: Kinds) -> dict[str, Any]:
    """The object; `kinds` has for each key its kind, and whether it may be null.

    Raises:
        ValueError: it is no object, or a key is unknown or of another kind; one sentence.
    """
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the job is not JSON: {error}") from None
    if not isinstance(told, dict):
        raise ValueError("the job is not a JSON object")
    for name, value in told.items():
        _check(name, value, kinds)
    return told


def _check(name: str, value: object, kinds: Kinds) -> None:
    if name not in kinds:
        raise ValueError(f"the job has an unknown key {name[:60]!r}")
    kind, optional = kinds[name]
    if not (_is(value, kind) or (optional and value is None)):
        raise ValueError(f"{name} of the job is not {kind}")


def _is(value: object, kind: str) -> bool:
    if kind == COUNT:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if kind == TEXTS:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    return isinstance(value, {TEXT: str, TRUTH: bool, TABLE: dict}[kind])
