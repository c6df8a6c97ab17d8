"""What the most loaded device holds of a cache, where the placement tells how a load is cut."""

from __future__ import annotations

from typing import TypeVar

from fiche.estimators._split import cutting, split_of, within
from fiche.kernel.figure import Node, ceil
from fiche.kernel.model import AttentionCache, CrossCache
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload

Attention = TypeVar("Attention", AttentionCache, CrossCache)


def heads_held(kv_heads: Node, workload: Workload) -> Node:
    """KV heads of one tensor-parallel device: an even part, and no less than one whole head."""
    split = split_of(workload)
    if split is None or split.tensor is None:
        return kv_heads
    return ceil(kv_heads / split.tensor)


def on_device(cache: Attention, workload: Workload) -> Attention:
    """The same layers with the KV heads of one tensor-parallel device."""
    return replace(cache, kv_heads=heads_held(cache.kv_heads, workload))


def least_held(node: Node, workload: Workload) -> Node:
    """The least that the most loaded device can hold: the even part (pigeonhole)."""
    split = split_of(workload)
    ways = None if split is None else cutting(split, "tensor", "pipeline", "context", "data")
    return node if ways is None else ceil(node / ways)


def dealt(node: Node, workload: Workload, *kinds: str) -> Node:
    """At least an even part over these ways of a cut, at most all of it."""
    split = split_of(workload)
    return node if split is None else within(node, cutting(split, *kinds), tell("the cache"))
