"""vLLM: pages of a shared pool that the resident sequences pin.

Rules in `_vllm_pages` and `_vllm_widths`, read in vLLM 0.33.0; estimators.md 2.3. The pool itself takes what
`gpu_memory_utilization` leaves over: that is no need of a load, and stands in what is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fiche.estimators.engines._parts import (
    CROSS_ATTENTION_CACHE,
    KV_CACHE,
    RECURRENT_STATE,
    Part,
    items,
    layers_said,
    older_columns,
)
from fiche.estimators.engines._settings import (
    GROUPS,
    figure_or,
    number_or,
    on_a_device,
    since,
    switch,
    version,
)
from fiche.estimators.engines._settings import tensor_devices as devices
from fiche.estimators.engines._tokens import sequences, tokens_kept
from fiche.estimators.engines._vllm_pages import (
    DEFAULT_BLOCK,
    LARGEST_BLOCK,
    cross_pages,
    full_pages,
    grown,
    in_flight,
    kinds,
    padding_layers,
    state_pages,
    tokens_a_page,
    windowed_pages,
)
from fiche.estimators.engines._vllm_widths import (
    convolution_width,
    index_bytes,
    latent_bytes,
    state_width,
    state_width_open,
    token_bytes,
)
from fiche.estimators.engines._worlds import Axis, World, alike, chosen_node, flag, hull
from fiche.kernel.doors import Engine
from fiche.kernel.figure import Node, either, larger
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
from fiche.kernel.workload import Case, Workload

_BLOCK = tell("block_size is untold: 16, or 32 to 128 where an attention backend asks for it")
_MANAGED = tell("whether layers of different reach have pages of their own is untold")
_ASKED = tell("releases differ in following the state format of the model's configuration")
_FIRST = tell("the first engine keeps a window of blocks, or every block")
_REACH: dict[str, Callable[[str], str]] = {
    "full": lambda layers: tell("{layers} in pages of every token", layers=layers),
    "sliding": lambda layers: tell("{layers} in pages of the window", layers=layers),
    "chunked": lambda layers: tell("{layers} in pages of the running chunk", layers=layers),
}
_ITEM: dict[type[Cache], str] = {
    StateCache: RECURRENT_STATE,
    CrossCache: CROSS_ATTENTION_CACHE,
}
_LEFT_OUT = (
    tell(
        "the rest of the pool: vLLM gives gpu_memory_utilization of a card to weights, peaks "
        "and blocks"
    ),
    tell("blocks of one sequence of max_model_len, without which vLLM does not start"),
    tell("blocks of cached prefixes that no running sequence uses, and tokens drafted ahead"),
)


@record(eq=False)
class _Load:
    """What a rule reads of a fiche: the same under every reading of what it leaves open."""

    model: Model
    workload: Workload
    case: Case | None
    tokens: Node
    held: Node


@record(eq=False)
class _Pages:
    """Pages of one cache: tokens of a block, bytes of its own page, and of the page that all groups share."""

    block: Node
    own: Node
    shared: Node | None


def _cache(model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    load = _Load(
        model=model,
        workload=workload,
        case=case,
        tokens=tokens_kept(case, workload),
        held=sequences(case),
    )
    parts = hull(_axes(model, workload), lambda world: tuple(_parts(load, world)))
    return items(case, parts, _LEFT_OUT)


def _axes(model: Model, workload: Workload) -> tuple[Axis, ...]:
    least = figure_or(workload, DEFAULT_BLOCK, "block_size")
    most = figure_or(workload, LARGEST_BLOCK, "block_size")
    recurrent = [cache for cache in model.caches if isinstance(cache, StateCache)]
    cut = devices(workload) is not None and any(cache.kind == "mamba2" for cache in recurrent)
    asked = bool(recurrent) and state_width_open(model, workload)
    windowed = len(kinds(model.caches)) > 1 and any(_reaches_back(c) for c in model.caches)
    return (
        Axis("block", least, most, _BLOCK),
        flag("managed", _managed(workload) if windowed else True, _MANAGED),
        flag("asked", None if asked else False, _ASKED),
        flag("whole_groups", None if cut else False, GROUPS),
    )


def _reaches_back(cache: Cache) -> bool:
    return isinstance(cache, AttentionCache) and cache.reach != "full" and cache.window is not None


def _old(workload: Workload) -> bool | None:
    """True for the first engine (V0), or a release of the second that does not yet drop blocks.

    0.8.0 made V1 the default, and 0.8.3 gave it windows (release notes). None where the release is untold.
    """
    if switch(workload, "v1") is False:
        return True
    windows = since(version(workload), "0.8.3")
    return None if windows is None else not windows


def _managed(workload: Workload) -> bool | None:
    """Whether layers of different reach have pages of their own, unless that is switched off.

    Written in June 2025: not yet in 0.8, surely in 0.11; both count between.
    """
    disabled = switch(workload, "disable_hybrid_kv_cache_manager")
    told = version(workload)
    if disabled is not None:
        return not disabled
    if _old(workload) or since(told, "0.9.0") is False:
        return False
    return True if since(told, "0.11.0") else None


def _parts(load: _Load, world: World) -> Iterator[Part]:
    tensor = devices(load.workload)
    caches = [
        on_a_device(cache, tensor, whole_groups=bool(world["whole_groups"]))
        for cache in load.model.caches
    ]
    widths = [_bytes(load, cache, world) for cache in caches]
    block = _block(caches, widths, chosen_node(world, "block"))
    sizes = [_page(cache, width, block) for cache, width in zip(caches, widths, strict=True)]
    shared = _shared(sizes) if _hybrid(caches, world) else None
    for cache, own in zip(caches, sizes, strict=True):
        yield _part(load, cache, _Pages(block=block, own=own, shared=shared), world, caches)
        if isinstance(cache, LatentCache) and cache.index_dim is not None:
            yield _indexer(load, cache, block)


def _hybrid(caches: list[Cache], world: World) -> bool:
    """True where groups of different kinds share one pool, and so one size of page."""
    if any(isinstance(cache, StateCache) for cache in caches):
        return len(kinds(caches)) > 1
    return len(kinds(caches)) > 1 and bool(world["managed"])


def _bytes(load: _Load, cache: Cache, world: World) -> Node:
    """Bytes of a token in one layer, or of a state."""
    match cache:
        case LatentCache():
            return latent_bytes(cache, load.workload)
        case StateCache():
            return _state(load, cache, asked=bool(world["asked"]))
        case _:
            return token_bytes(cache, load.workload)


def _state(load: _Load, cache: StateCache, *, asked: bool) -> Node:
    drafted = number_or(load.workload, 0, "num_speculative_tokens")
    columns = cache.channels * (older_columns(cache) + drafted) * convolution_width(load.workload)
    width = state_width(load.model, cache.kind, load.workload, asked=asked)
    return columns + cache.state * width


def _block(caches: list[Cache], widths: list[Node], block: Node) -> Node:
    """Tokens of a block of attention: grown where a state must fit into its page."""
    found = list(zip(caches, widths, strict=True))
    states = [width for cache, width in found if isinstance(cache, StateCache)]
    tokens = [width for cache, width in found if isinstance(cache, AttentionCache | LatentCache)]
    if not states or not tokens:
        return block
    latent = any(isinstance(cache, LatentCache) for cache in caches)
    return grown(block, _largest(tokens), _largest(states), latent=latent)


def _page(cache: Cache, width: Node, block: Node) -> Node:
    return width if isinstance(cache, StateCache) else block * width


def _shared(sizes: list[Node]) -> Node | None:
    return None if all(alike(size, sizes[0]) for size in sizes) else _largest(sizes)


def _largest(nodes: list[Node]) -> Node:
    found = nodes[0]
    for node in nodes[1:]:
        found = larger(found, node)
    return found


def _part(load: _Load, cache: Cache, page: _Pages, world: World, caches: list[Cache]) -> Part:
    """Pages of alike layers, padding layers of their groups with them."""
    extra = padding_layers(cache, caches) if _hybrid(caches, world) else 0
    layers = cache.count + extra if extra else cache.count
    pinned = _pinned(load, cache, page, managed=bool(world["managed"]))
    size = page.own if page.shared is None else page.shared
    label = _said(cache)
    if extra:
        label = tell("{layers}, {extra} more as padding", layers=label, extra=extra)
    return Part(_ITEM.get(type(cache), KV_CACHE), _step(cache), label, layers * pinned * size)


def _pinned(load: _Load, cache: Cache, page: _Pages, *, managed: bool) -> Node:
    """How many pages of one layer all resident sequences hold."""
    block, tokens, held = page.block, load.tokens, load.held
    if isinstance(cache, StateCache):
        return state_pages(load.workload, tokens, held, block)
    if page.shared is not None:
        block = tokens_a_page(block, page.own, page.shared)
    if isinstance(cache, CrossCache):
        return cross_pages(cache, load.case, held, block)
    if not isinstance(cache, AttentionCache) or not _reaches_back(cache):
        return full_pages(tokens, held, block)
    if not managed:
        return full_pages(tokens, held, block)
    windowed = windowed_pages(cache, tokens, held, block, in_flight(load.workload))
    if _old(load.workload) is not False:
        return either(windowed, full_pages(tokens, held, block), _FIRST)
    return windowed


def _indexer(load: _Load, cache: LatentCache, block: Node) -> Part:
    width = index_bytes(cache)
    assert width is not None
    node = cache.count * full_pages(load.tokens, load.held, block) * (block * width)
    label = tell("{layers} with indexer keys", layers=layers_said(cache))
    return Part(KV_CACHE, "indexer", label, node)


def _said(cache: Cache) -> str:
    layers = layers_said(cache)
    match cache:
        case AttentionCache():
            return _REACH[cache.reach](layers)
        case LatentCache():
            return tell("{layers} that keep one compressed vector a token", layers=layers)
        case CrossCache():
            return tell("{layers} that keep the encoder's positions", layers=layers)
        case StateCache():
            return tell("{layers} of {kind} states, one page each", layers=layers, kind=cache.kind)


def _step(cache: Cache) -> str:
    match cache:
        case AttentionCache():
            return cache.reach
        case LatentCache():
            return "latent"
        case CrossCache():
            return "encoder"
        case StateCache():
            return cache.kind


MEMBER = Engine(
    name="vllm",
    title="vLLM",
    source="estimators.md 2.3; vllm/v1/kv_cache_interface.py and v1/core/kv_cache_planning.py",
    names=("vllm",),
    covered="0.33.0; older releases by their notes and pull requests, as intervals where unclear",
    settings=(
        "block_size",
        "max_num_batched_tokens",
        "kv_cache_dtype",
        "mamba_cache_dtype",
        "mamba_ssm_cache_dtype",
        "mamba_cache_mode",
        "enable_prefix_caching",
        "disable_hybrid_kv_cache_manager",
        "async_scheduling",
        "num_speculative_tokens",
        "v1",
    ),
    cache=_cache,
)
