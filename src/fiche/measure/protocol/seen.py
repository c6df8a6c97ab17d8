"""What was really executed: shapes, dtypes and places of tensors, read off the tensors (A1, A3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiche.measure.protocol.words import plain_text, whole_word

MOST_TENSORS = 64


def tensors_seen(named: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One entry a tensor: name, shape, dtype, kind of device; containers are looked into.

    Anything with a `shape` and a `dtype` is a tensor here, so that no framework is imported.
    """
    found: list[dict[str, Any]] = []
    for name, value in named.items():
        for entry in _tensors(name, value, 0):
            if len(found) == MOST_TENSORS:
                return found
            found.append(entry)
    return found


def _tensors(name: str, value: Any, depth: int) -> Iterator[dict[str, Any]]:
    entry = _entry(name, value)
    if entry is not None:
        yield entry
    elif depth < 3 and isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _tensors(f"{name}.{plain_text(key, 100)}", inner, depth + 1)
    elif depth < 3 and isinstance(value, (list, tuple)):
        for place, inner in enumerate(value):
            yield from _tensors(f"{name}.{place}", inner, depth + 1)


def _entry(name: str, tensor: Any) -> dict[str, Any] | None:
    """None of what is no tensor, and of one whose shape is not made of whole numbers."""
    try:
        shape = [whole_word("length", length) for length in tensor.shape]
        dtype = str(tensor.dtype).replace("torch.", "")[:500]
    except Exception:  # noqa: BLE001 - whatever an object that only looks like a tensor raises
        return None
    if not dtype or len(shape) > MOST_TENSORS:
        return None
    entry: dict[str, Any] = {"name": name[:500] or "tensor", "shape": shape, "dtype": dtype}
    place = getattr(getattr(tensor, "device", None), "type", None)
    if place:
        entry["place"] = plain_text(place, 500)
    return entry
