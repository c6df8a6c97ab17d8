"""The conservative envelope: a sum of independent maxima, never an observed peak (B7)."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.estimators._constants import (
    NO_OPERATION,
    OTHER_MODULES,
    OUTSIDE_THE_PROCESS,
    QUANTISATION_METADATA,
    TRANSIENT_LOADING,
    WORKING_MEMORY,
)
from fiche.estimators._reading import qualified, word
from fiche.kernel.comparison import LoadItem
from fiche.kernel.figure import Figure, Node, total
from fiche.kernel.trace import conditions
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

LABEL = "conservative envelope (a sum of independent maxima, never an observed peak)"


def envelope(workload: Workload, case: Case | None, items: Iterable[LoadItem]) -> Figure:
    """The sum of the items that have a figure, with everything it does not include named (B8).

    Weights stay in the sum even when they are unknown: an envelope without them would promise more
    than it holds, so its high end opens instead.
    """
    parts = tuple(items)
    known = [item.node for item in parts if item.name == "weights" or not conditions(item.node)]
    left_out = _left_out(parts)
    if not word(workload, "operation"):
        left_out = (*left_out, NO_OPERATION)
    return total(known, BYTE).named(qualified(case, "envelope"), LABEL, left_out=left_out)


def _left_out(items: tuple[LoadItem, ...]) -> tuple[str, ...]:
    open_items = [item for item in items if conditions(item.node)]
    left = [QUANTISATION_METADATA, OTHER_MODULES]
    left += [_asked(item.node) for item in open_items]
    if not any(item.name == "workspace" for item in open_items):
        left.append(WORKING_MEMORY)
    left += [TRANSIENT_LOADING, OUTSIDE_THE_PROCESS]
    left += [each for item in items if item not in open_items for each in _own(item.node)]
    return tuple(dict.fromkeys(left))


def _asked(node: Node) -> str:
    asked = "; ".join(condition.text for condition in conditions(node))
    return f"{node.label}: unknown ({asked})"


def _own(node: Node) -> tuple[str, ...]:
    return node.left_out if isinstance(node, Figure) else ()
