"""KV cache of dense attention (B5).

2 x layers x KV heads x head dimension x tokens x bytes of a value x sequences, with KV heads, never
query heads: 32, 8, 128, 8192 tokens, 2 bytes, 1 sequence = 1 073 741 824 bytes. Only *resident*
sequences count: requests that wait hold no cache (A4). Tokens are prompt and new ones together, and
not less than a stated context to hold.
"""

from __future__ import annotations

from fiche.estimators._constants import BITS_PER_BYTE, QUANTISATION_METADATA
from fiche.estimators._formats import quantised, value_bits
from fiche.estimators._reading import dimension, operation_is, qualified, stated, word
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, ceil, larger
from fiche.kernel.workload import Case, Workload

_KEYS_AND_VALUES = 2


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    layers, kv_heads, head_dim = (
        stated(workload, f"model.{key}", "architecture", f"state model.{key}")
        for key in ("layers", "kv_heads", "head_dim")
    )
    width = value_bits(workload, "cache", "cache_format") / BITS_PER_BYTE
    per_token = _KEYS_AND_VALUES * layers * kv_heads * head_dim * width
    cache = ceil(per_token * _tokens(case) * _sequences(case))
    label = "KV cache (dense: every layer keeps every token)"
    return (cache.named(qualified(case, "kv_cache"), label, left_out=_left_out(workload, case)),)


def _tokens(case: Case | None) -> Node:
    text = "state the context to hold: prompt_tokens and new_tokens, or context_tokens"
    told = () if case is None else case.dimensions
    context = dimension(case, "context_tokens", "context", text)
    if "prompt_tokens" not in told and "new_tokens" not in told:
        return context
    kept = dimension(case, "prompt_tokens", "context", text) + dimension(
        case, "new_tokens", "context", text
    )
    if "context_tokens" in told:
        kept = larger(kept, context)
    return kept.named(qualified(case, "tokens_kept"), "tokens kept by one sequence")


def _sequences(case: Case | None) -> Node:
    text = "state resident_sequences: how many sequences are in memory at the same time"
    return dimension(case, "resident_sequences", "concurrency", text)


def _left_out(workload: Workload, case: Case | None) -> tuple[str, ...]:
    left = ["blocks or slots that the engine reserves beyond these tokens"]
    if quantised(word(workload, "formats.cache")):
        left.append(f"{QUANTISATION_METADATA} of a quantised cache")
    if case is not None and "images" in case.dimensions:
        left.append("image tokens, unless prompt_tokens counts them")
    return tuple(left)


MEMBER = Estimator(
    name="kv_cache",
    title="KV cache",
    source="2 x layers x KV heads x head dimension x tokens x bytes x sequences (MISSION B5)",
    per_case=True,
    resident=True,
    applies=lambda workload: operation_is(workload, "generation"),
    estimate=_estimate,
)
