"""What the layers hold for a moment while a prompt goes through them: at most one layer's, of every token (B6).

Without a backward pass a layer's results are freed as the next one starts. Its widest points, in values
a token (transformers 5.24, modeling_llama.py; w is the width of a computed value):
- the norm: the stream and its result in w, and two copies in fp32: 2 x hidden x w + 2 x hidden x 4;
- attention: the stream and its norm, queries before, during and after their rotation, keys and values as well
  and repeated for all heads: 2 x hidden + 7 x query + 3 x key + 2 x value; eager attention holds heads x
  tokens x tokens of scores in w twice, and once in fp32;
- the feed-forward: the stream, its norm, and two vectors of its inner width with their product: 2 x hidden +
  3 x inner, 2 x inner where it is not gated; with experts, as much for each that sees the token, with
  the token's stream before and after it.
At least nothing: a prompt may go through by chunks, and kernels may fuse steps (truth.md 19 and 20: of two
published series one shows no such rise, the other two to five times the cache).
Llama-3.1-8B, 8192 tokens in bf16: 8192 x (2 x 4096 + 3 x 14336) x 2 = 838 860 800 bytes at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from fiche.estimators._reading import missing, operation_is, qualified, word
from fiche.estimators.engines._tokens import as_tokens, prompt_tokens, sequences, tokens_kept
from fiche.estimators.engines._transformers import FP32
from fiche.estimators.engines._widths import computed_width
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, bare, ceil, either, larger, smaller
from fiche.kernel.model import Block
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

_ATTENTION = ("attention", "attention+cross")
_WITHOUT_SCORES = ("", "sdpa", "flash", "flash_attention_2", "flash_attention_3", "flashinfer")
_LABEL = "activations of one layer while a prompt goes through"
_BECAUSE = "the whole prompt at once, or by chunks and in fused kernels"
_CHUNKS = ("max_num_batched_tokens", "prefill_chunk_size", "chunked_prefill_size", "n_ubatch")


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    model = workload.model
    assert model is not None
    name = qualified(case, "prefill_activations")
    flying = _flying(workload, case)
    layers = [node for block in model.blocks for node in _held(block, workload, case, flying)]
    if not layers or any(block.kind not in _ATTENTION for block in model.blocks):
        text = (
            "measure a prefill: no rule is known for what a layer of this kind holds for a moment"
        )
        layers.append(missing(f"{name}.layer", BYTE, "need", text))
    most = ceil(reduce(larger, layers[1:], layers[0]))
    return (either(0 * most, most, _BECAUSE).named(name, _LABEL),)


def _flying(workload: Workload, case: Case | None) -> Node:
    """Tokens that go through at one time: prompts of all sequences, or a chunk where one is told."""
    prompts = bare(_prompt(workload, case)) * bare(sequences(case))
    for setting in _CHUNKS:
        told = workload.figures.get(f"engine.settings.{setting}")
        if told is not None:
            return smaller(prompts, bare(as_tokens(told)))
    return prompts


def _prompt(workload: Workload, case: Case | None) -> Node:
    """Tokens of a prompt; where only a context is told, it may be a prompt as a whole."""
    if case is not None and "prompt_tokens" in case.dimensions:
        return prompt_tokens(case, workload)
    return tokens_kept(case, workload)


def _held(block: Block, workload: Workload, case: Case | None, flying: Node) -> Iterator[Node]:
    """Bytes of a layer at its widest points: a norm, around attention, inside the feed-forward."""
    width, hidden = computed_width(workload), 2 * bare(block.hidden)
    yield flying * (hidden * width + hidden * FP32)
    if block.query is not None and block.key is not None and block.value is not None:
        values = hidden + 7 * bare(block.query) + 3 * bare(block.key) + 2 * bare(block.value)
        held: Node = flying * values * width
        if block.heads is not None and word(workload, "attention") not in _WITHOUT_SCORES:
            scores = bare(block.heads) * bare(_prompt(workload, case))
            held = held + flying * scores * (2 * width + FP32)
        yield held
    if block.inner is not None:
        yield flying * (hidden + _inner(block)) * width


def _inner(block: Block) -> Node:
    assert block.inner is not None
    copies = 3 if block.gated else 2
    inner = copies * bare(block.inner)
    if block.experts_used is not None:
        inner = bare(block.experts_used) * (inner + 2 * bare(block.hidden))
    return inner if block.shared_inner is None else inner + copies * bare(block.shared_inner)


MEMBER = Estimator(
    name="prefill_activations",
    title="Activations of a prefill",
    source="estimators.md 2.5 (SwiGLU and GQA per token), without what a backward pass keeps",
    per_case=True,
    resident=False,
    applies=lambda workload: operation_is(workload, "generation") and workload.model is not None,
    estimate=_estimate,
    phases=("prefill", "cold_forward", "warm_forward"),
    spread="tokens",
)
