"""What was really executed: shapes, dtypes and places of tensors, read off the tensors (A1, A3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_MOST = 64


def tensors_seen(named: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One entry a tensor: name, shape, dtype, kind of device; containers are looked into.

    Anything with a `shape` and a `dtype` is a tensor here, so that no framework is imported.
    """
    found: list[dict[str, Any]] = []
    for name, value in named.items():
        for path, tensor in _tensors(name, value, 0):
            if len(found) == _MOST:
                return found
            found.append(_entry(path, tensor))
    return found


def _tensors(name: str, value: Any, depth: int) -> Iterator[Any]:
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        yield name, value
    elif depth < 3 and isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _tensors(f"{name}.{key}", inner, depth + 1)
    elif depth < 3 and isinstance(value, (list, tuple)):
        for place, inner in enumerate(value):
            yield from _tensors(f"{name}.{place}", inner, depth + 1)


def _entry(name: str, tensor: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": name[:500],
        "shape": [int(length) for length in tensor.shape],
        "dtype": str(tensor.dtype).replace("torch.", ""),
    }
    place = getattr(getattr(tensor, "device", None), "type", None)
    if place is not None:
        entry["place"] = str(place)
    return entry
