"""The traces of several figures as one list of plain entries, for re-evaluation outside Python.

Where `trace.expression` spells out one figure for a reader, this keeps what several figures share, once:
the operations that the estimators' own arithmetic built, in an order in which inputs come first.
"""

from __future__ import annotations

from fiche.kernel.figure import Figure, Node, Number, Operand, Unknown
from fiche.kernel.origin import Computed
from fiche.kernel.trace import inputs

# A formula's own number; [low, high] of a leaf, null for an open end; [operation, place, place, …].
Entry = str | list[str | int | None]


class Graph:
    """Entries by place. A figure that is entered twice keeps its place, and so does one like it.

    `leaves` are the named figures and unknowns that nothing was computed for, by id, as they were met.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.leaves: dict[str, Node] = {}
        self._places: dict[int, int] = {}
        self._alike: dict[tuple[object, ...], int] = {}
        self._names: dict[str, list[int]] = {}
        self._kept: list[Operand] = []

    def enter(self, top: Node) -> int:
        """The place of a figure, after everything below it."""
        waiting: list[Operand] = [top]
        while waiting:
            here = waiting[-1]
            if id(here) in self._places:
                waiting.pop()
                continue
            pending = [part for part in inputs(here) if id(part) not in self._places]
            if pending:
                waiting.extend(reversed(pending))
            else:
                self._enter(waiting.pop())
        return self._places[id(top)]

    def named(self, name: str) -> list[int]:
        """The places of every figure of this id: a what-if sets them all."""
        return self._names.get(name, [])

    def _enter(self, node: Operand) -> None:
        # Places are known by identity: a node that were dropped would give its address to another.
        self._kept.append(node)
        name = node.id if isinstance(node, Figure | Unknown) else ""
        entry = self._entry(node)
        key = (name, *entry) if isinstance(entry, list) else ("", entry)
        place = self._alike.setdefault(key, len(self.entries))
        if place == len(self.entries):
            self.entries.append(entry)
            if name:
                self._names.setdefault(name, []).append(place)
        self._places[id(node)] = place

    def _entry(self, node: Operand) -> Entry:
        if not isinstance(node, Figure | Unknown):
            return written(node)
        parts = inputs(node)
        if isinstance(node.origin, Computed) and parts:
            return [node.origin.operation, *(self._places[id(part)] for part in parts)]
        if node.id:
            self.leaves.setdefault(node.id, node)
        return [written(node.low), None if node.high is None else written(node.high)]


def written(value: Number) -> str:
    """A number to the last digit: `12`, `-3` or `7/2`."""
    return str(value)
