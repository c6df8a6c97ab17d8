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
from fiche.kernel.figure import Figure, Node, larger, total
from fiche.kernel.said import listed, tell
from fiche.kernel.trace import conditions
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

LABEL = tell("conservative envelope (a sum of independent maxima, never an observed peak)")


def envelope(workload: Workload, case: Case | None, items: Iterable[LoadItem]) -> Figure:
    """The sum of the items that have a figure, with everything it does not include named (B8).

    Weights stay in the sum even when they are unknown: an envelope without them would promise more
    than it holds, so its high end opens instead. What is alive only while the model loads makes a
    sum of its own, and the larger of both stands.
    """
    parts = tuple(items)
    known = [item for item in parts if item.name == "weights" or not conditions(item.node)]
    left_out = _left_out(workload, parts)
    if not word(workload, "operation"):
        left_out = (*left_out, NO_OPERATION)
    return _sum(known).named(qualified(case, "envelope"), LABEL, left_out=left_out)


_LOADING = ("model_load",)


def _sum(items: list[LoadItem]) -> Figure:
    later = total([item.node for item in items if item.phases != _LOADING], BYTE)
    loading = [item for item in items if not item.phases or "model_load" in item.phases]
    if not any(item.phases == _LOADING for item in loading):
        return later
    return larger(later, total([item.node for item in loading], BYTE))


def _left_out(workload: Workload, items: tuple[LoadItem, ...]) -> tuple[str, ...]:
    open_items = [item for item in items if conditions(item.node)]
    # The model's own files say which modules are stored how: then each item says what it leaves out.
    by_files = workload.model is not None
    left: list[str] = [] if by_files else [QUANTISATION_METADATA, OTHER_MODULES]
    left += [_asked(item.node) for item in open_items]
    if not any(item.name == "workspace" for item in open_items):
        left.append(WORKING_MEMORY)
    if not any(item.name == "weights_loading" for item in items):
        left.append(TRANSIENT_LOADING)
    left.append(OUTSIDE_THE_PROCESS)
    left += [each for item in items if item not in open_items for each in _own(item.node)]
    held = tuple(f"({item.name})" for item in items if item not in open_items)
    # What an item leaves to another item of this sum is no gap of the sum.
    return tuple(each for each in dict.fromkeys(left) if not each.endswith(held))


def _asked(node: Node) -> str:
    asked = listed((condition.text for condition in conditions(node)), "; ")
    return tell("{label}: unknown ({asked})", label=node.label, asked=asked)


def _own(node: Node) -> tuple[str, ...]:
    return node.left_out if isinstance(node, Figure) else ()
