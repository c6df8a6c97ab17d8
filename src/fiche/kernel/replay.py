"""The bounds of figures for many values of a few leaves: the same operations, without building figures.

A sweep or an inverse question asks one formula a thousand times. Only what stands above the varied
leaves is computed again; `trace.reevaluate` gives the same bounds, with the figures around them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fiche.kernel.figure import Bounds, Figure, Node, Operand, Unknown, bounds, rule
from fiche.kernel.trace import inputs

Step = tuple[int, Callable[[list[Bounds]], Bounds], tuple[int, ...]]


class Replay:
    """The formulas of some figures, prepared for other values of the leaves with these ids."""

    def __init__(self, tops: Sequence[Node], varied: Sequence[str]) -> None:
        """`tops` keep their order in every answer; `varied` are ids of leaves below them."""
        self._slots: dict[int, int] = {}
        self._start: list[Bounds] = []
        self._steps: list[Step] = []
        self._varied: dict[str, list[int]] = {name: [] for name in varied}
        self._moved: set[int] = set()
        for top in tops:
            self._enter(top)
        self._tops = [self._slots[id(top)] for top in tops]

    def moves(self, name: str) -> bool:
        """True when some figure depends on the leaf of this id."""
        return bool(self._varied[name])

    def at(self, values: Mapping[str, Bounds]) -> tuple[Bounds, ...]:
        """The bounds of every figure, with these bounds at the varied leaves; others keep theirs."""
        held = self._start.copy()
        for name, value in values.items():
            for slot in self._varied[name]:
                held[slot] = value
        for slot, operation, parts in self._steps:
            held[slot] = operation([held[part] for part in parts])
        return tuple(held[slot] for slot in self._tops)

    def _enter(self, top: Operand) -> None:
        """Give every node below a slot, inputs before what is computed from them."""
        waiting: list[Operand] = [top]
        while waiting:
            here = waiting[-1]
            pending = [part for part in inputs(here) if id(part) not in self._slots]
            if id(here) in self._slots:
                waiting.pop()
            elif pending:
                waiting.extend(pending)
            else:
                self._place(waiting.pop())

    def _place(self, node: Operand) -> None:
        slot = self._slots[id(node)] = len(self._start)
        self._start.append(bounds(node))
        name = node.id if isinstance(node, Figure | Unknown) else ""
        if name in self._varied:
            self._varied[name].append(slot)
            self._moved.add(slot)
            return
        parts = tuple(self._slots[id(part)] for part in inputs(node))
        if not self._moved.isdisjoint(parts):
            self._moved.add(slot)
            self._steps.append((slot, rule(node), parts))
