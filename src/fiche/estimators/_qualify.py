"""Ids of a changed candidate: what the change moved gets a prefix, the rest keeps its id.

Two workloads that differ in one thing (D10) share most of their figures. A figure that both hold
alike keeps one id, one that differs gets `prefix` before its own: ids stay unique in a decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fiche.kernel.figure import Figure, Node, Operand, Unknown
from fiche.kernel.origin import Computed
from fiche.kernel.record import replace
from fiche.kernel.trace import conditions, formula, inputs


def qualify(nodes: Iterable[Node], prefix: str, base: Mapping[str, Node]) -> tuple[Node, ...]:
    """The nodes, with `prefix` on every id whose figure is not the one that `base` has under it."""
    done: dict[int, Operand] = {}
    return tuple(_qualified(node, prefix, base, done) for node in nodes)


def _qualified(node: Node, prefix: str, base: Mapping[str, Node], done: dict[int, Operand]) -> Node:
    stack: list[Operand] = [node]
    while stack:
        here = stack[-1]
        pending = [part for part in inputs(here) if id(part) not in done]
        if pending and id(here) not in done:
            stack.extend(pending)
            continue
        stack.pop()
        if id(here) not in done:
            done[id(here)] = _renamed(here, prefix, base, done)
    renamed = done[id(node)]
    assert isinstance(renamed, Figure | Unknown)
    return renamed


def _renamed(
    node: Operand, prefix: str, base: Mapping[str, Node], done: Mapping[int, Operand]
) -> Operand:
    if not isinstance(node, Figure | Unknown):
        return node
    parts = inputs(node)
    renewed = tuple(done[id(part)] for part in parts)
    moved = any(new is not old for new, old in zip(renewed, parts, strict=True))
    if moved and isinstance(node, Figure) and isinstance(node.origin, Computed):
        node = replace(node, origin=replace(node.origin, inputs=renewed))
    if not node.id or (not moved and same(node, base.get(node.id))):
        return node
    return replace(node, id=prefix + node.id)


def same(node: Node, other: Node | None) -> bool:
    """True when two nodes of one id say the same: bounds, unit, formula, words and questions."""
    return node is other or (other is not None and _said(node) == _said(other))


def _said(node: Node) -> tuple[object, ...]:
    return (node.low, node.high, node.unit, formula(node), node.label, conditions(node))
