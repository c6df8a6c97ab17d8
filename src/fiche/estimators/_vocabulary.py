"""Logits of a step and what a loss makes of them: tokens x vocabulary values at a time (formula sheet 2.5).

transformers upcasts 16-bit logits to fp32 for the loss; autograd keeps the log-probabilities and makes two
gradients in fp32. Before the backward pass 2 + 4 + 4 bytes a logit, in it 2 + 4 + 4 + 4 = 14: Llama-3 at
8192 tokens 13.7 GiB. A chunked or fused loss never holds all of them: a chunk of Liger's (0.6: tokens /
(vocabulary / hidden), up to the next power of two) has at most 2 x (tokens x hidden + vocabulary).
"""

from __future__ import annotations

from fiche.estimators._amounts import each, narrower, nothing
from fiche.estimators._learned import known_model
from fiche.estimators._reading import dimension, qualified, word
from fiche.estimators._states import engine_of
from fiche.estimators._step_kept import sequence, tokens
from fiche.estimators._widths_kept import widths
from fiche.kernel.figure import Figure, Node, ceil, either, smaller
from fiche.kernel.model import Model
from fiche.kernel.number import Misread
from fiche.kernel.said import tell
from fiche.kernel.version import parse_version
from fiche.kernel.workload import Case, Workload

FP32 = 32
_SAME_SHAPE_SINCE = "5.0.0"  # transformers shifts the labels, no more the logits
_WITHOUT_LOSS = tell("a chunked or fused loss never holds all logits")


def vocabulary_of(workload: Workload) -> Node | None:
    """The vocabulary of a model with an output head; None where there is none, or nothing is known of it."""
    model = known_model(workload)
    return model.vocabulary if model is not None and _has_head(model) else None


def _has_head(model: Model) -> bool:
    return bool(model.tied) or any(group.role == "head" for group in model.parameters)


def logits(workload: Workload, case: Case | None, counted: Node | None = None) -> Node:
    """How many logits a microbatch has."""
    vocabulary = vocabulary_of(workload)
    assert vocabulary is not None
    seen = tokens(case) if counted is None else counted
    whole = vocabulary * seen
    return smaller(whole, _chunk(workload, vocabulary, seen)) if _is_fused(workload) else whole


def _is_fused(workload: Workload) -> bool:
    model = known_model(workload)
    fused = word(workload, "training.loss") == "fused"
    return fused and model is not None and model.hidden is not None


def _chunk(workload: Workload, vocabulary: Node, seen: Node) -> Node:
    """Logits of one chunk of a fused loss: Liger's are as wide as the hidden states, to a power of two."""
    model = known_model(workload)
    assert model is not None
    assert model.hidden is not None
    return 2 * (model.hidden * seen + vocabulary)


def in_their_own_format(workload: Workload, values: Node) -> Figure:
    """Logits as the head gives them: in the format that is computed in, or the wider one beside it."""
    width = widths(workload)
    because = tell("logits in the format of computing, or of the wider values beside it")
    whole = either(ceil(values * width.least), ceil(values * width.most), because)
    if _capped(workload):
        whole = either(
            whole, whole * 3, tell("logits that are capped by a tanh are kept up to thrice")
        )
    return whole


def in_fp32(values: Node) -> Figure:
    """Four bytes a logit."""
    return ceil(values * each(FP32))


def copied(workload: Workload, values: Node) -> Figure:
    """A copy in fp32 of logits that are narrower; older versions shift them into one more."""
    bits = widths(workload).bits
    return narrower(bits, FP32) * in_fp32(values)


def shifted(workload: Workload, values: Node) -> Figure:
    """One more fp32 copy where the loss shifts the logits: transformers before 5, or code that is not known."""
    told, since = parse_version(word(workload, "engine.version")), parse_version(_SAME_SHAPE_SINCE)
    known = not isinstance(told, Misread) and not isinstance(since, Misread) and told >= since
    if engine_of(workload) == "transformers" and known:
        return nothing()
    return either(
        nothing(), in_fp32(values), tell("labels are shifted, or a copy of the logits is")
    )


def by_loss(workload: Workload, whole: Figure) -> Figure:
    """All of it under a full loss; up to all of it where the loss is chunked, fused or untold."""
    told = word(workload, "training.loss")
    if told == "full":
        return whole
    because = (
        _WITHOUT_LOSS
        if told
        else tell("{without_loss}: training.loss is untold", without_loss=_WITHOUT_LOSS)
    )
    return either(nothing(), whole, because)


def evaluated_tokens(case: Case | None) -> Node:
    """Tokens of one batch of an evaluation, which has a size of its own."""
    text = tell("state batch: sequences of one batch of the evaluation")
    counted = dimension(case, "batch", "microbatch", text) * sequence(case)
    return counted.named(
        qualified(case, "evaluated_tokens"), tell("tokens of one batch of the evaluation")
    )


def _capped(workload: Workload) -> bool:
    model = known_model(workload)
    config = None if model is None else model.config
    return config is not None and config.value("final_logit_softcapping") is not None
