"""What transformers holds after a prefill beyond what decoding needs (B6).

After a prefill, a sliding layer's cache is a view of the whole prompt's keys and values: the window is
all that is visible, and the whole prompt stays in memory until the next decode step (measured on
5.24.0, peers_run.md section 5: 20 480 bytes held, 8 192 one step later). So a prefill needs full-length
keys and values on every layer: Gemma3-27B at 131 072 tokens 62.0 GiB, against 10.4 GiB while it decodes.
`prefill_chunk_size` bounds it to a window and a chunk. `generate` computes the logits of the last token
alone; a plain forward pass (`logits_to_keep: all`) those of the whole prompt: Llama-3 at 8192 tokens
1.96 GiB. estimators.md 2.3, transformers.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.estimators._reading import qualified
from fiche.estimators.engines._parts import token_bytes
from fiche.estimators.engines._placed import dealt, on_device
from fiche.estimators.engines._tokens import as_tokens, prompt_or_context, sequences
from fiche.estimators.engines._transformers import (
    CONFIG_AWARE,
    FP32,
    VERSIONS,
    cache_widths,
    implementation,
    runs,
    setting,
)
from fiche.estimators.engines._widths import computed_width
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, ceil, larger, smaller, total
from fiche.kernel.model import AttentionCache
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

_RETAINED = tell("prompt that sliding layers hold until the next step")


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    model = workload.model
    assert model is not None
    kept = [
        node
        for cache in model.caches
        if isinstance(cache, AttentionCache)
        for node in _retained(cache, workload, case)
    ]
    found: list[Node] = []
    if kept:
        summed = ceil(dealt(total(kept, BYTE), workload, "pipeline", "context", "data"))
        found.append(summed.named(qualified(case, "prefill_retention"), _RETAINED))
    if model.vocabulary is not None:
        found.append(_logits(model.vocabulary, workload, case))
    return tuple(found)


def _retained(cache: AttentionCache, workload: Workload, case: Case | None) -> Iterator[Node]:
    """The prompt beyond the window, in all layers of a sliding kind."""
    if cache.reach == "full" or cache.window is None or implementation(workload) != "dynamic":
        return
    if setting(workload, "cache_without_config") == "yes":
        return
    prompt = prompt_or_context(case, workload)
    chunk = workload.figures.get("engine.settings.prefill_chunk_size")
    stored = prompt if chunk is None else smaller(prompt, cache.window + as_tokens(chunk))
    beyond = larger(stored, cache.window) - cache.window  # an open prompt never falls below zero
    layer = token_bytes(on_device(cache, workload), cache_widths(workload))
    node = cache.count * layer * beyond * sequences(case)
    because = tell(
        "transformers before {config_aware} keeps every token of sliding layers for good",
        config_aware=CONFIG_AWARE,
    )
    yield VERSIONS.since(workload, CONFIG_AWARE, 0 * node, node, because)


def _logits(vocabulary: Node, workload: Workload, case: Case | None) -> Node:
    """Logits of the last token of each sequence, or of every token of the prompt."""
    one = vocabulary * computed_width(workload) * sequences(case)
    if setting(workload, "logits_to_keep") in ("all", "0"):
        label = tell("logits of the whole prompt (a plain forward pass)")
        return ceil(one * prompt_or_context(case, workload)).named(qualified(case, "logits"), label)
    label = tell("logits of the last token, and their copy in fp32 (generate)")
    return ceil(one + vocabulary * FP32 * sequences(case)).named(qualified(case, "logits"), label)


MEMBER = Estimator(
    name="prefill_retention",
    title="Held after a prefill",
    source="estimators.md 2.3; peers_run.md 5; generation/utils.py of transformers 5.24.0",
    per_case=True,
    resident=False,
    applies=runs,
    estimate=_estimate,
    phases=("prefill",),
    spread="own",
)
