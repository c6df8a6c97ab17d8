"""Values that the ranks of a run say alike; the others are left out and told, or contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fiche.importers._json import pointer_text
from fiche.kernel.diagnostic import Diagnostic

if TYPE_CHECKING:
    from fiche.importers._record_merge import RankRecord

_NOT_TOLD = "not told"
_LONGEST = 200
_HINT = "ranks of one run have one workload, one software and one protocol: these are of two runs"


class Agreed:
    """Collects what all ranks say; `differs` and `contradictions` grow with each value asked for."""

    def __init__(self, ordered: Sequence[RankRecord]) -> None:
        self._ranks = ordered
        self.differs: list[dict[str, Any]] = []
        self.contradictions: list[Diagnostic] = []

    def strict(self, *path: str) -> Any:  # noqa: ANN401 - JSON
        """The value that all ranks say; two that differ are a contradiction, one untold is told."""
        return self._value(path, is_strict=True)

    def kept(self, *path: str) -> Any:  # noqa: ANN401 - JSON
        """The value that all ranks say; where they differ it is left out and told."""
        return self._value(path, is_strict=False)

    def _value(self, path: tuple[str, ...], *, is_strict: bool) -> Any:  # noqa: ANN401 - JSON
        values = [_inside(one.document, path) for one in self._ranks]
        first = values[0]
        if values.count(first) == len(values):
            return first
        if all(isinstance(value, dict | None) for value in values):
            names = dict.fromkeys(n for v in values if isinstance(v, dict) for n in v)
            found = {
                name: self._value((*path, name), is_strict=is_strict)
                for name in names
                if name != "extra"
            }
            return {name: value for name, value in found.items() if value is not None} or None
        self._tell(path, values, is_strict=is_strict)
        return None

    def _tell(self, path: tuple[str, ...], values: list[Any], *, is_strict: bool) -> None:
        told = [
            (one.name, value)
            for one, value in zip(self._ranks, values, strict=True)
            if value is not None
        ]
        other = next((each for each in told if each[1] != told[0][1]), None)
        if is_strict and other is not None:
            self.contradictions.append(_contradiction(path, told[0], other))
        else:
            ranks = [one.rank for one in self._ranks]
            self.differs.append(difference(path, ranks, values))


def _contradiction(
    path: tuple[str, ...], one: tuple[str, Any], other: tuple[str, Any]
) -> Diagnostic:
    said = " and ".join(f"{name} says {str(value)[:_LONGEST]}" for name, value in (one, other))
    message = f"{'.'.join(path)}: {said}"
    return Diagnostic(code="F554", message=message, address=None, hint=_HINT)


def _inside(document: Any, path: Sequence[str]) -> Any:  # noqa: ANN401 - JSON
    for key in path:
        if not isinstance(document, dict):
            return None
        document = document.get(key)
    return document


def difference(
    path: Sequence[str | int], ranks: Sequence[int], values: Sequence[object]
) -> dict[str, Any]:
    """What each rank says at a path of the merged record."""
    return {
        "path": pointer_text(path),
        "values": [
            {"rank": rank, "value": _NOT_TOLD if value is None else str(value)[:_LONGEST]}
            for rank, value in zip(ranks, values, strict=True)
        ],
    }


def equal_or_none(values: Sequence[Any]) -> Any:  # noqa: ANN401 - JSON
    """The value that all have; None where one has another or none."""
    return values[0] if values and values.count(values[0]) == len(values) else None


def named(values: Mapping[int, Mapping[str, Any]]) -> Iterator[str]:
    """Every key that some rank has, in the order in which the ranks name them."""
    yield from dict.fromkeys(key for value in values.values() for key in value)
