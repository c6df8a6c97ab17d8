"""What a generation keeps between steps: attention caches, recurrent states, cross-attention (B5).

Where the fiche names the model's files, the engine that it names has the rule: pages, cells, windows
(`engines/`). An untold engine gives the hull of the known ones, the least that can be kept below; an engine
whose rule is not known here opens the high end.

Where the fiche states counts only: 2 x layers x KV heads x head dimension x tokens x bytes of a value x
sequences, with KV heads, never query heads: 32, 8, 128, 8192 tokens, 2 bytes, 1 sequence =
1 073 741 824 bytes. Only *resident* sequences count: requests that wait hold no cache (A4). Tokens are
prompt and new ones together, and not less than a stated context to hold.
"""

from __future__ import annotations

from fiche.estimators._constants import BITS_PER_BYTE, QUANTISATION_METADATA
from fiche.estimators._formats import quantised, value_bits
from fiche.estimators._reading import operation_is, qualified, stated, word
from fiche.estimators.engines._hull import kept_by_engine
from fiche.estimators.engines._tokens import sequences, tokens_kept
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, ceil
from fiche.kernel.model import AttentionCache, Model
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

_KEYS_AND_VALUES = 2
# Engines that hold, of a dense model, just what the formula says.
_AS_STATED = ("", "transformers")
_DENSE = tell("KV cache (dense: every layer keeps every token)")


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    if workload.model is not None and (workload.model.caches or not _counted(workload)):
        return kept_by_engine(workload.model, workload, case)
    if word(workload, "engine.name").lower() in _AS_STATED:
        return (_dense(workload, case),)
    return kept_by_engine(_stated_model(workload), workload, case)


def _counted(workload: Workload) -> bool:
    """True where the fiche itself states what its layers keep."""
    return all(f"model.{key}" in workload.figures for key in ("layers", "kv_heads", "head_dim"))


def _dense(workload: Workload, case: Case | None) -> Node:
    layers, kv_heads, head_dim = _dimensions(workload)
    width = value_bits(workload, "cache", "cache_format") / BITS_PER_BYTE
    per_token = _KEYS_AND_VALUES * layers * kv_heads * head_dim * width
    cache = ceil(per_token * tokens_kept(case) * sequences(case))
    return cache.named(qualified(case, "kv_cache"), _DENSE, left_out=_left_out(workload, case))


def _stated_model(workload: Workload) -> Model:
    """A dense model by the counts that the fiche states, for an engine's rule to apply to."""
    layers, kv_heads, head_dim = _dimensions(workload)
    dense = AttentionCache(
        layers=(), count=layers, kv_heads=kv_heads, key_dim=head_dim, value_dim=head_dim
    )
    return Model(family="", model_type="", architecture="", caches=(dense,))


def _dimensions(workload: Workload) -> tuple[Node, ...]:
    return tuple(
        stated(workload, f"model.{key}", "architecture", tell("state model.{key}", key=key))
        for key in ("layers", "kv_heads", "head_dim")
    )


def _left_out(workload: Workload, case: Case | None) -> tuple[str, ...]:
    left = [tell("blocks or slots that the engine reserves beyond these tokens")]
    if quantised(word(workload, "formats.cache")):
        left.append(
            tell(
                "{quantisation_metadata} of a quantised cache",
                quantisation_metadata=QUANTISATION_METADATA,
            )
        )
    if case is not None and "images" in case.dimensions:
        left.append(tell("image tokens, unless prompt_tokens counts them"))
    return tuple(left)


MEMBER = Estimator(
    name="kv_cache",
    title="KV cache",
    source="estimators.md 2.2, 2.3; 2 x layers x KV heads x head dimension x tokens x bytes (B5)",
    per_case=True,
    resident=True,
    applies=lambda workload: operation_is(workload, "generation"),
    estimate=_estimate,
    phases=("prefill", "decode", "cold_forward", "warm_forward"),
    spread="own",
)
