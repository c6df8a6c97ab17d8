"""Pages that resident sequences pin in vLLM's pool: how many of each cache, and how large one is.

Read in vLLM 0.33.0: `v1/kv_cache_interface.py` (pages of a request by kind), `v1/core/kv_cache_planning.py`
(one page for all groups, padding layers), `platforms/interface.py` (attention blocks grown to a state);
estimators.md 2.3.
"""

from __future__ import annotations

from collections.abc import Sequence

from fiche.estimators.engines._settings import (
    default,
    fact,
    number,
    number_or,
    pages,
    said,
    since,
    switch,
    version,
)
from fiche.estimators.engines._tokens import encoder_tokens
from fiche.kernel.figure import Node, Operand, bare, ceil, either, floor, larger, smaller
from fiche.kernel.model import AttentionCache, Cache, CrossCache, StateCache
from fiche.kernel.said import tell
from fiche.kernel.trace import formula
from fiche.kernel.workload import Case, Workload

_LEAST_BATCH = fact(
    "vllm", "least_batched", 2048, tell("the least default of max_num_batched_tokens"), "tokens"
)
_MOST_BATCH = fact(
    "vllm", "most_batched", 16_384, tell("the largest default of max_num_batched_tokens"), "tokens"
)
_LATENT_BLOCK = fact(
    "vllm", "latent_block", 128, tell("blocks of MLA beside states are whole 128s")
)


def in_flight(workload: Workload) -> Node:
    """Tokens scheduled and not yet settled: a batch, times the batches that overlap.

    0.33.0 counts all batches in flight; 0.26.0 did so already (pull request 47728, July 2026). Which release
    was the first is not known here: from 0.12.0 on both count.
    """
    batched: Node | None = number(workload, "max_num_batched_tokens")
    if batched is None:
        because = tell(
            "max_num_batched_tokens is untold: its default is one of 2048, 8192 and 16384"
        )
        batched = either(_LEAST_BATCH, _MOST_BATCH, because)
    stages = workload.figures.get("placement.pipeline_parallel", default("vllm", "stages", 1))
    told = version(workload)
    asynchronous = switch(workload, "async_scheduling")
    if since(told, "0.12.0") is False:
        return batched
    overlapped = since(told, "0.26.0")
    most: Operand = stages if asynchronous is False else stages + 1
    least: Operand = stages if overlapped else 1
    because = tell("releases and asynchronous scheduling differ in how many batches overlap")
    return batched * either(least, most, because)


def full_pages(tokens: Node, held: Node, block: Node) -> Node:
    """Every token of every sequence."""
    return bare(held) * pages(tokens, block)


def windowed_pages(
    cache: AttentionCache, tokens: Node, held: Node, block: Node, flying: Node
) -> Node:
    """Pages of layers that reach back a window only: at rest the window, at most the tokens in flight as well.

    One request is admitted with ceil((window - 1 + in flight) / block) + 1 pages; all requests together have
    no more tokens in flight than that, whatever their number.
    """
    window = cache.window
    if window is None:
        return full_pages(tokens, held, block)
    rest = bare(held) * pages(smaller(bare(tokens), bare(window)), block)
    sliding = cache.reach == "sliding"
    before = larger(window, 1) - 1 if sliding else window
    one = pages(bare(before) + bare(flying), block) + (1 if sliding else 0)
    each = bare(held) * smaller(pages(tokens, block), one)
    together = bare(held) * (pages(before, block) + 2) + pages(flying, block)
    because = tell("pages of the window at rest, or with a prefill's tokens in flight")
    return either(rest, smaller(each, together), because)


def cross_pages(cache: CrossCache, case: Case | None, held: Node, block: Node) -> Node:
    """The encoder's positions of every sequence."""
    positions = encoder_tokens(case) if cache.tokens is None else cache.tokens
    return held * pages(positions, block)


def state_pages(workload: Workload, tokens: Node, held: Node, block: Node) -> Node:
    """One page a sequence; two and those of speculation where states align with blocks of a cached prefix."""
    drafted = number_or(workload, 0, "num_speculative_tokens")
    mode = said(workload, "mamba_cache_mode").lower()
    if mode == "none" or switch(workload, "enable_prefix_caching") is False:
        return held * (drafted + 1)
    three = drafted + 3
    if mode == "align":
        because = tell("a checkpoint of the prefill takes one more page where the layer has it")
        return held * either(drafted + 2, three, because)
    if mode == "all":
        because = tell("releases keep a state a block of tokens, or one")
        return held * either(drafted + 1, larger(pages(tokens, block), drafted + 1), because)
    because = tell(
        "mamba_cache_mode is untold: one state, or up to three where prefixes are cached"
    )
    return held * either(drafted + 1, three, because)


def grown(block: Node, token: Node, state: Node, *, latent: bool) -> Node:
    """The attention block that holds at least a state's page: 672 tokens for Nemotron-Nano-9B-v2."""
    step = larger(block, _LATENT_BLOCK) if latent else block
    return larger(block, step * ceil(state / (step * token)))


def tokens_a_page(block: Node, own: Node, shared: Node) -> Node:
    """Tokens of a page whose layer needs fewer bytes than the shared page: more of them where they divide it.

    floor(ratio) blocks where the ratio is whole; else one, and the page is padded.
    """
    ratio = shared / own
    rest = larger(0, ceil(ratio) - floor(ratio))
    return block * larger(1, floor(ratio) - rest * floor(ratio))


def padding_layers(cache: Cache, hybrid: Sequence[Cache]) -> int:
    """Layers that stand in so that every group has as many: 27 states beside 4 full layers are 28."""
    counts = [len(each.layers) for each in hybrid if each.layers]
    if not counts or not cache.layers:
        return 0
    least, most = min(counts), max(counts)
    group = most if 2 * most < 3 * least else least
    return -len(cache.layers) % group


def kinds(caches: Sequence[Cache]) -> set[str]:
    """Words for the kinds that the program keeps apart; all full layers are one."""
    return {_kind(cache) for cache in caches}


def _kind(cache: Cache) -> str:
    if isinstance(cache, StateCache):
        return tell("state {kind}", kind=cache.kind)
    if isinstance(cache, CrossCache):
        return "cross"
    if isinstance(cache, AttentionCache) and cache.window is not None and cache.reach != "full":
        return f"{cache.reach} {formula(cache.window)}"
    return "full"


DEFAULT_BLOCK = default("vllm", "block_size", 16)
LARGEST_BLOCK = fact(
    "vllm", "largest_block", 128, tell("the largest block that a backend asks for")
)
