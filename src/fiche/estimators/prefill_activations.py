"""What the layers hold for a moment while a prompt goes through them: at most one layer's, of every token (B6).

Without a backward pass a layer's results are freed as the next one starts. Its widest points, in values
a token (transformers 5.24, modeling_llama.py; w is the width of a computed value). The embeddings and the
layer's own input stay with whoever called it, and so do positions, sines and cosines of the rotation (2 x head,
in fp32 with some types) and a mask:
- the norm: the stream as well, and two copies in fp32: 3 x hidden x w + 2 x hidden x 4;
- attention: the norm, queries before, during and after their rotation, keys and values as well and repeated for
  all heads: 3 x hidden + 7 x query + 3 x key + 2 x value; eager attention holds heads x tokens x tokens
  of scores in fp32 twice and once in w to the layer's end, and the mask in w; a mask of windows is
  tokens x tokens truth values, and of w twice where a kernel wants to add it;
- the feed-forward: the stream, its norm, and two vectors of its inner width with their product: 4 x hidden +
  3 x inner; 4 x inner where gate and up are one matrix, 5 x inner where an activation is written out in
  steps; for each expert that sees the token hidden + 4 x inner, or 6 x hidden as its result is weighed in
  fp32 and put back in order, and the token's places in both orders.
At least nothing: a prompt may go through by chunks, and kernels may fuse steps (truth.md 19 and 20: of two
published series one shows no such rise, the other two to five times the cache).
Llama-3.1-8B, 8192 tokens in bf16: 8192 x ((4 x 4096 + 3 x 14336) x 2 + 2 x 128 x 4 + 8) = 981 532 672 bytes at
most; torch's MemTracker counts 0.910 GiB (peers_run.md 1: 16.868 with 14.958 of weights and 1.000 of cache).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from fiche.estimators._layers_counted import COVERED
from fiche.estimators._reading import missing, operation_is, qualified, word
from fiche.estimators.engines._lookup import plain
from fiche.estimators.engines._tokens import as_tokens, prompt_tokens, sequences, tokens_kept
from fiche.estimators.engines._transformers import FP32, NAMES
from fiche.estimators.engines._widths import computed_width, fixed
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Node, Operand, bare, ceil, either, larger, smaller
from fiche.kernel.model import AttentionCache, Block, Model
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

_ATTENTION = ("attention", "attention+cross")
_WITHOUT_SCORES = ("", "sdpa", "flash", "flash_attention_2", "flash_attention_3", "flashinfer")
# Counted on tensors without memory, in bf16, fused and eager; those left out write some steps otherwise.
_OTHERWISE = "apertus bloom cohere cohere2 deepseek_v2 deepseek_v3 falcon ministral stablelm"
_COUNTED = COVERED - frozenset(_OTHERWISE.split())
# Transformers 5.24 gives this type no fused kernel unless one is asked for.
_EAGER = ("gemma2",)
_POSITION = fixed("position.value_bytes", tell("bytes of a position"), 8, tell("64 bits"), BYTE)
_TRUTH = fixed("mask.value_bytes", tell("bytes of a value of a mask"), 1, tell("8 bits"), BYTE)
_LABEL = tell("activations of one layer while a prompt goes through")
_BECAUSE = tell("the whole prompt at once, or by chunks and in fused kernels")
_LEFT_OUT = (
    tell("masks of prompts that are padded to one length"),
    tell("towers that read images or sound"),
)
_CHUNKS = ("max_num_batched_tokens", "prefill_chunk_size", "chunked_prefill_size", "n_ubatch")


def _estimate(workload: Workload, case: Case | None) -> tuple[Node, ...]:
    model = workload.model
    assert model is not None
    name = qualified(case, "prefill_activations")
    flying = _flying(workload, case)
    layers = [node for block in model.blocks for node in _held(block, workload, case, flying)]
    if not layers or not _counted(model):
        text = tell(
            "measure a prefill: no rule is known for what a layer of this kind holds for a moment"
        )
        layers.append(missing(f"{name}.layer", BYTE, "need", text))
    most = ceil(reduce(larger, layers[1:], layers[0]))
    return (either(0 * most, most, _BECAUSE).named(name, _LABEL, left_out=_LEFT_OUT),)


def _counted(model: Model) -> bool:
    """True where every layer is of a kind and a type that was held against this rule."""
    text = None if model.config is None else model.config.part("text_config")
    names = {model.model_type, "" if text is None else text.text("model_type")}
    return bool(names & _COUNTED) and all(block.kind in _ATTENTION for block in model.blocks)


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
    width, hidden = computed_width(workload), bare(block.hidden)
    pairs = flying * bare(_prompt(workload, case))
    beside = _beside(block, workload, flying, pairs)
    yield flying * (3 * hidden * width + 2 * hidden * FP32) + beside
    if block.query is not None and block.key is not None and block.value is not None:
        values = 3 * hidden + 7 * bare(block.query) + 3 * bare(block.key) + 2 * bare(block.value)
        yield flying * values * width + beside + _scores(block, workload, pairs)
    if block.inner is not None:
        inner = _inner(block, workload.model, width)
        yield flying * (4 * hidden * width + inner) + beside


def _beside(block: Block, workload: Workload, flying: Node, pairs: Node) -> Node:
    """Positions, sines and cosines, masks, scores that eager attention hands back: to the layer's end."""
    held = flying * _POSITION
    if block.heads is not None and block.query is not None:
        held = held + flying * 2 * (bare(block.query) / bare(block.heads)) * FP32
    if _eager(workload):
        return held + pairs * (1 + _heads(block)) * computed_width(workload)
    return held + pairs * _TRUTH if _makes_masks(workload) else held


def _scores(block: Block, workload: Workload, pairs: Node) -> Node:
    """Scores of eager attention in fp32, or a mask as a kernel adds it: nothing where neither is made."""
    if _eager(workload):
        return pairs * _heads(block) * 2 * FP32
    return pairs * (2 if _makes_masks(workload) else 0) * computed_width(workload)


def _heads(block: Block) -> Operand:
    return 0 if block.heads is None else bare(block.heads)


def _eager(workload: Workload) -> bool:
    """True where scores are whole: as told, or by transformers for a type without a fused kernel."""
    told = word(workload, "attention")
    if told or plain(word(workload, "engine.name")) not in ("", *NAMES):
        return told not in _WITHOUT_SCORES
    return workload.model is not None and workload.model.model_type in _EAGER


def _makes_masks(workload: Workload) -> bool:
    """True where windows may be a mask of tokens x tokens: transformers without a flash kernel."""
    model = workload.model
    if model is None or word(workload, "attention") not in ("", "sdpa"):
        return False
    windows = any(
        isinstance(each, AttentionCache) and each.reach != "full" for each in model.caches
    )
    return windows and plain(word(workload, "engine.name")) in ("", *NAMES)


def _inner(block: Block, model: Model | None, width: Node) -> Node:
    """Bytes inside the feed-forward of one token."""
    assert block.inner is not None
    inner, hidden = bare(block.inner), bare(block.hidden)
    if block.experts_used is not None:
        widest = larger(hidden + 4 * inner, 6 * hidden)
        held = bare(block.experts_used) * (widest * width + 6 * _POSITION)
        shared = block.shared_inner
        return held if shared is None else held + 4 * bare(shared) * width
    joined = model is not None and any("gate_up" in each.name for each in model.parameters)
    return (3 + joined if block.gated else 5) * inner * width


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
