"""Caches in pages of one pool, for programs that round a sequence up to whole pages and no more.

What differs between them comes in as a `Store`: bytes of a token by kind of cache, states, encoders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fiche.estimators._reading import missing
from fiche.estimators.engines._parts import (
    CROSS_ATTENTION_CACHE,
    KV_CACHE,
    RECURRENT_STATE,
    Part,
    layers_said,
    older_columns,
)
from fiche.estimators.engines._settings import on_a_device, pages, tensor_devices
from fiche.estimators.engines._tokens import encoder_tokens, sequences, tokens_kept
from fiche.estimators.engines._worlds import Axis, chosen_node, hull
from fiche.kernel.figure import Node, either, larger, smaller
from fiche.kernel.model import (
    AttentionCache,
    Cache,
    CrossCache,
    LatentCache,
    Model,
    StateCache,
)
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload


@record(eq=False)
class Store:
    """Bytes of one layer by a program's rule; a rule that is not known is an Unknown.

    `token` and `latent` of one token, `index` of one key of a sparse indexer, `state` of one sequence (all
    its copies), `cross` of one sequence's encoder output.
    """

    token: Callable[[AttentionCache], Node]
    latent: Callable[[LatentCache], Node]
    index: Callable[[LatentCache], Node]
    state: Callable[[StateCache], Node]
    cross: Callable[[CrossCache], Node]


def paged(
    model: Model, workload: Workload, case: Case | None, block: Axis, store: Store, window: str
) -> tuple[Part, ...]:
    """The parts of a model's caches on one device; `window` says what sliding layers hold beside it."""
    tokens, held = tokens_kept(case, workload), sequences(case)
    tensor = tensor_devices(workload)
    caches = [on_a_device(cache, tensor) for cache in model.caches]

    def rule(size: Node) -> Iterator[Part]:
        for cache in caches:
            yield from _of(cache, tokens, held, size, store, window)

    return hull((block,), lambda world: tuple(rule(chosen_node(world, block.name))))


def _of(
    cache: Cache, tokens: Node, held: Node, block: Node, store: Store, window: str
) -> Iterator[Part]:
    layers = layers_said(cache)
    match cache:
        case AttentionCache():
            held_tokens = held * _reached(cache, tokens, block, window)
            label = _REACH[cache.reach](layers)
            node = cache.count * held_tokens * store.token(cache)
            yield Part(KV_CACHE, cache.reach, label, node)
        case LatentCache():
            kept = cache.count * (held * pages(tokens, block) * block)
            label = tell("{layers} in pages of one compressed vector a token", layers=layers)
            yield Part(KV_CACHE, "latent", label, kept * store.latent(cache))
            if cache.index_dim is not None:
                said = tell("{layers} with indexer keys", layers=layers)
                yield Part(KV_CACHE, "indexer", said, kept * store.index(cache))
        case CrossCache():
            node = cache.count * held * store.cross(cache)
            yield Part(
                CROSS_ATTENTION_CACHE,
                "encoder",
                tell("{layers} with encoder positions", layers=layers),
                node,
            )
        case StateCache():
            node = cache.count * held * store.state(cache)
            yield Part(
                RECURRENT_STATE,
                cache.kind,
                tell("{layers} of {kind} states", layers=layers, kind=cache.kind),
                node,
            )


_REACH: dict[str, Callable[[str], str]] = {
    "full": lambda layers: tell("{layers} in pages of every token", layers=layers),
    "sliding": lambda layers: tell("{layers} in pages of the window", layers=layers),
    "chunked": lambda layers: tell("{layers} in pages of the running chunk", layers=layers),
}


def _reached(cache: AttentionCache, tokens: Node, block: Node, because: str) -> Node:
    """Tokens in whole pages: all of them, or between the window and all of them."""
    everything = pages(tokens, block) * block
    if cache.reach == "full" or cache.window is None:
        return everything
    return either(pages(smaller(tokens, cache.window), block) * block, everything, because)


def not_known(program: str, what: str) -> Node:
    """Bytes whose rule was not read, with the question that would settle them."""
    text = tell(
        "give the bytes of {what} in {program}: its rule is not known here",
        what=what,
        program=program,
    )
    name = f"{program}.{what.replace(' ', '_')}"
    return missing(name, BYTE, "need", text)


def at_least(least: Node, program: str, what: str) -> Node:
    """What must be kept in any case, open above where the program's rule was not read."""
    return larger(least, not_known(program, what))


def encoder_positions(cache: CrossCache, case: Case | None, width: Node) -> Node:
    """Bytes of an encoder's positions in one layer, of one sequence."""
    positions = encoder_tokens(case) if cache.tokens is None else cache.tokens
    return positions * cache.kv_heads * (cache.key_dim + cache.value_dim) * width


def one_state(cache: StateCache, convolution: Node, state: Node) -> Node:
    """Bytes of one state in one layer: all columns of the convolution but the newest, and the state."""
    return cache.channels * older_columns(cache) * convolution + cache.state * state
