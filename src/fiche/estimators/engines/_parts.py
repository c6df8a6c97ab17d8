"""Bytes of a token in one layer of each kind of cache, and the sums that a report names.

An engine makes parts, one for alike layers; `items` sums the parts of each item under one id
(`limit.kv_cache`) with every part named below it (`limit.kv_cache.sliding`), so that a reader sees 10
full and 52 sliding layers.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.estimators._reading import qualified
from fiche.estimators.engines._widths import Widths
from fiche.kernel.figure import Figure, Node, ceil, larger, smaller, total
from fiche.kernel.model import AttentionCache, Cache, CrossCache, LatentCache, StateCache
from fiche.kernel.record import record
from fiche.kernel.said import listed, tell, tell_count
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case

KV_CACHE = "kv_cache"
RECURRENT_STATE = "recurrent_state"
CROSS_ATTENTION_CACHE = "cross_attention_cache"

LABELS = {
    KV_CACHE: tell("KV cache"),
    RECURRENT_STATE: tell("recurrent state"),
    CROSS_ATTENTION_CACHE: tell("cross-attention cache"),
}


@record(eq=False, kw_only=False)
class Part:
    """Bytes of alike layers: which item they belong to, a word for the step, and words for a reader."""

    item: str
    step: str
    label: str
    node: Node


def items(case: Case | None, parts: Iterable[Part], left_out: tuple[str, ...]) -> tuple[Node, ...]:
    """One named figure an item, in the order in which the items first appear; whole bytes.

    `left_out` is what the engine's rule does not include; a part that is zero bytes stays visible.
    """
    found = _distinct(tuple(parts))
    names = dict.fromkeys(part.item for part in found)
    return tuple(_item(case, name, found, left_out) for name in names)


def _item(
    case: Case | None, name: str, parts: tuple[Part, ...], left_out: tuple[str, ...]
) -> Figure:
    mine = [part for part in parts if part.item == name]
    steps = [_step(case, part) for part in mine]
    summed = ceil(total(steps, BYTE))
    told = listed((part.label for part in mine), "; ")
    label = tell("{item} ({parts})", item=LABELS.get(name, name), parts=told)
    return summed.named(qualified(case, name), label, left_out=left_out)


def _step(case: Case | None, part: Part) -> Figure:
    return total((part.node,), BYTE).named(
        qualified(case, f"{part.item}.{part.step}"), part.label, left_out=()
    )


def _distinct(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Two groups of one kind get different words: `full`, `full_2`."""
    seen: dict[tuple[str, str], int] = {}
    found = []
    for part in parts:
        place = seen[part.item, part.step] = seen.get((part.item, part.step), 0) + 1
        step = part.step if place == 1 else f"{part.step}_{place}"
        found.append(Part(item=part.item, step=step, label=part.label, node=part.node))
    return tuple(found)


def layers_said(cache: Cache) -> str:
    """`52 layers`, or `layers` where only the fiche counts them."""
    num_layers = len(cache.layers)
    if num_layers == 0:
        return tell("layers")
    return tell_count("{count} layer", "{count} layers", num_layers)


def token_bytes(cache: AttentionCache | CrossCache, width: Widths) -> Node:
    """Keys and values of one token in one layer."""
    if cache.key_dim is cache.value_dim and width.key is width.value:
        return 2 * cache.kv_heads * cache.key_dim * width.key
    return cache.kv_heads * (cache.key_dim * width.key + cache.value_dim * width.value)


def latent_bytes(cache: LatentCache, width: Node) -> Node:
    """The compressed vector of one token in one layer, for all heads: no values, no factor two."""
    return (cache.latent + cache.rope) * width


def expanded_bytes(cache: LatentCache, width: Widths) -> Node:
    """Keys and values of one token in one layer, once they are expanded to every head."""
    return cache.heads * (cache.key_dim * width.key + cache.value_dim * width.value)


def reached(cache: AttentionCache, tokens: Node) -> Node:
    """Tokens that attention can still reach: all of them, or the last window of them."""
    if cache.reach == "full" or cache.window is None:
        return tokens
    return smaller(tokens, cache.window)


def older_columns(cache: StateCache) -> Node:
    """The columns of a convolution but the newest; none of a kernel that the configuration leaves unknown."""
    return larger(cache.kernel, 1) - 1


def convolution_bytes(cache: StateCache, width: Node, columns: Node) -> Node:
    """The kept columns of a convolution's input, of one sequence in one layer."""
    return cache.channels * columns * width


def state_bytes(cache: StateCache, width: Node) -> Node:
    """The recurrent state of one sequence in one layer."""
    return cache.state * width
