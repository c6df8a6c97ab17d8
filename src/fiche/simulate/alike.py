"""Live allocations that are alike but for the number of their layer, put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiche.simulate.simulation import Group

_ANY = "*"


def alike(groups: Iterable[Group]) -> list[Group]:
    """Groups of one kind, operator, line, shape, format and place in a layer as one, the largest first.

    The module of several is written with `*` for the numbers in its path: `layers.*.mlp`. One that stands alone
    keeps its path.
    """
    found: dict[tuple[Any, ...], Group] = {}
    for each in groups:
        origin = replace(each.origin, module=_numberless(each.origin.module))
        key = (each.kind, origin, each.shape, each.dtype)
        before = found.get(key)
        found[key] = each if before is None else _joined(before, each, origin.module)
    return sorted(found.values(), key=lambda each: -each.num_bytes)


def _joined(one: Group, other: Group, module: str) -> Group:
    same = one.origin.module == other.origin.module
    return replace(
        one,
        num_bytes=one.num_bytes + other.num_bytes,
        count=one.count + other.count,
        origin=one.origin if same else replace(one.origin, module=module),
    )


def _numberless(module: str) -> str:
    return ".".join(_ANY if part.isdecimal() else part for part in module.split("."))
