"""What one layer keeps of one token for its backward pass: bounds, in bytes (formula sheet 2.5).

`least` holds for any code that recomputes element-wise steps at will and no matrix product: both residual
inputs, queries, keys, values and the output of attention, and what enters the activation function. `most` are
the tensors that the modules of transformers 5.24 save on torch 2.13, counted with saved_tensors_hooks (tests
marked torch): SwiGLU with grouped heads keeps 4h + 2q + k + v + 4i values and two fp32 copies of h.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.estimators._amounts import each
from fiche.estimators._layers_counted import COVERED, FP32_COPIES, NARROW_NORMS, USUAL_COPIES
from fiche.estimators._widths_kept import Widths
from fiche.kernel.figure import Node, ceil, larger, total
from fiche.kernel.model import Block, LatentCache, Model, Parameters
from fiche.kernel.record import record
from fiche.kernel.unit import BYTE

FUSED_ATTENTION = ("sdpa", "flex_attention", "xformers")
FLASH = ("flash_attention_2", "flash_attention_3", "flash_attention_4", "flash", "fa2", "fa3")
_ONE_TENSOR = ("qkv", "c_attn", "query_key_value")
_FP32 = 4  # bytes
_STATISTICS = 8  # bytes of a norm's mean and deviation in fp32
_CHOICE = 64  # bytes of indices and weights for each expert chosen


@record(eq=False)
class Step:
    """What decides how much a layer keeps: widths, attention, tokens of a sequence, and what is frozen."""

    widths: Widths
    attention: str
    sequence: Node
    frozen: bool = False
    attention_dropout: bool = True
    dropout: bool = True


def least(block: Block, model: Model, step: Step) -> Node:
    """The fewest bytes a token in one layer, nothing being checkpointed."""
    width, hidden = step.widths.least, block.hidden
    parts = [width * hidden]
    if block.query is not None and block.key is not None and block.value is not None:
        output = block.value if _is_latent(block, model) else block.query
        parts += [width * side for side in (hidden, block.query, block.key, block.value, output)]
        if step.attention == "eager" and block.heads is not None:
            parts.append(width * block.heads * step.sequence)
    parts += [width * side for side in _entering(block)]
    return total(parts, BYTE)


def _entering(block: Block) -> Iterable[Node]:
    """Values that enter the activation function, and the gate beside them."""
    matrices = 2 if block.gated else 1
    if block.inner is not None:
        inner = block.inner if block.experts_used is None else block.inner * block.experts_used
        yield inner * matrices
    if block.shared_inner is not None:
        yield block.shared_inner * matrices


def most(block: Block, model: Model, step: Step) -> Node:
    """The most bytes a token in one layer that plain modules keep, adapters apart."""
    parts = [*_norms(block, model, step), *_attention(block, model, step)]
    parts += [*_feed_forward(block, model, step)]
    if step.dropout:
        parts.append(width_of(1) * block.hidden * 2)
    return total(parts, BYTE)


def _norms(block: Block, model: Model, step: Step) -> Iterable[Node]:
    found = [group for group in model.parameters if _is_norm_of(group, block)]
    for group in found:
        yield norm(_norm_width(group, block), group, model, step)
    if not found:  # norms without parameters
        yield norm(block.hidden, None, model, step) * 2


def norm(width: Node, group: Parameters | None, model: Model, step: Step) -> Node:
    """An fp32 copy of the input, the scaled values and the output; a LayerNorm keeps input and output."""
    value = step.widths.most
    if group is not None and _has_bias(group, model):
        kept = value if step.frozen else value * 2
        return kept * width + width_of(_STATISTICS)
    narrow = model.model_type in NARROW_NORMS
    copies = 1 if narrow else FP32_COPIES.get(model.model_type, USUAL_COPIES)
    scaled = 0 if step.frozen else 2 if narrow else 1
    kept = total((width_of(_FP32 * copies), value * scaled), BYTE)
    return kept * width + width_of(_STATISTICS) * (1 if group is None else _rows(group, width))


def width_of(bytes_: int) -> Node:
    """So many bytes, as a node."""
    return each(8 * bytes_)


def _attention(block: Block, model: Model, step: Step) -> Iterable[Node]:
    if block.query is None or block.key is None or block.value is None or block.heads is None:
        return
    value, query, key = step.widths.most, block.query, block.key
    keys_and_values = (key, block.value)
    if step.attention not in FLASH:  # keys and values are repeated to the query heads
        keys_and_values = (larger(query, key), larger(query, block.value))
    for side in (query, *keys_and_values, query):
        yield value * side
    if _is_latent(block, model) or _is_one_tensor(block, model):
        for side in (query, key, block.value):  # views hold on to the tensor that they look into
            yield value * side
    if step.attention in (*FLASH, *FUSED_ATTENTION):
        yield width_of(_FP32) * block.heads
    else:
        yield _probabilities(step) * block.heads * step.sequence
    if step.attention not in FLASH:  # a mask, cast in each layer
        yield value * step.sequence


def _probabilities(step: Step) -> Node:
    """Softmax in fp32 and its cast; a mask and the dropped values under dropout."""
    kept = width_of(_FP32) + step.widths.most
    return kept + width_of(1) + step.widths.most if step.attention_dropout else kept


def _feed_forward(block: Block, model: Model, step: Step) -> Iterable[Node]:
    value = step.widths.most
    kept = (4 if block.gated else 5) - (1 if step.frozen else 0)
    if block.inner is not None and block.experts_used is None:
        yield value * block.inner * kept
    if block.experts_used is not None:
        yield from _experts(block, model, step, kept)
    if block.shared_inner is not None:
        yield value * block.shared_inner * kept
        yield value * block.hidden * 2


def _experts(block: Block, model: Model, step: Step, kept: int) -> Iterable[Node]:
    """Each token once for each expert that sees it: gathered, computed, weighed; and the choice itself."""
    value, used = step.widths.most, block.experts_used
    assert used is not None
    if block.inner is not None:
        yield value * block.inner * kept * used
    yield value * block.hidden * used * (1 if step.frozen else 2)
    yield width_of(_CHOICE) * used
    for group in model.parameters:
        if group.role == "router" and overlap(group, block) and len(group.shape) == 2:
            yield width_of(2 * _FP32) * group.shape[0]


def adapter(inputs: Node, rank: Node, bits: Node, *, dropout: bool) -> Node:
    """A targeted matrix: its input in the format of the adapter, the r values between, a dropout mask."""
    kept = each(bits) * inputs + each(bits) * rank
    return kept + width_of(1) * inputs if dropout else kept


def _is_norm_of(group: Parameters, block: Block) -> bool:
    return group.role == "norm" and overlap(group, block) and not group.name.endswith(".bias")


def overlap(group: Parameters, block: Block) -> bool:
    return bool(set(group.layers) & set(block.layers))


def _norm_width(group: Parameters, block: Block) -> Node:
    """Norms of queries and keys have the width of one head, and run over all heads."""
    name = group.name.rsplit(".", 2)[-2]
    if "q_norm" in name or "query_layernorm" in name:
        return group.shape[0] if block.query is None else block.query
    if "k_norm" in name or "key_layernorm" in name:
        return group.shape[0] if block.key is None else block.key
    return group.shape[0]


def _rows(group: Parameters, width: Node) -> Node | int:
    """How many rows of statistics a token has: one, or one for each head."""
    return 1 if width is group.shape[0] else ceil(width / group.shape[-1])


def _has_bias(group: Parameters, model: Model) -> bool:
    stem = group.name.removesuffix(".weight")
    return any(other.name == f"{stem}.bias" for other in model.parameters)


def _is_latent(block: Block, model: Model) -> bool:
    held = set(block.layers)
    return any(
        isinstance(cache, LatentCache) and held & set(cache.layers) for cache in model.caches
    )


def _is_one_tensor(block: Block, model: Model) -> bool:
    """True where queries, keys and values come out of one matrix."""
    return any(
        overlap(group, block) and any(name in group.name for name in _ONE_TENSOR)
        for group in model.parameters
    )


def covered(block: Block, model: Model) -> bool:
    """True where layers of this model and kind were counted."""
    return model.model_type in COVERED and block.kind in ("attention", "mlp")


def fused(block: Block, step: Step) -> Node:
    """The most bytes a token in one layer of Megatron, without recomputation (arXiv 2205.05198).

    34 x s x b x h + 5 x a x s^2 x b where query, key and value are h wide, and the feed-forward 4h; fused
    attention drops the second term.
    """
    value, hidden, none = step.widths.most, block.hidden, width_of(0)
    parts = [
        value * hidden * 4 + width_of(1) * hidden * 2
    ]  # both norms' inputs and outputs, two masks
    if block.query is not None and block.key is not None and block.value is not None:
        parts += [value * side for side in (block.query, block.key, block.value, block.query)]
    if block.heads is not None and step.attention not in (*FLASH, *FUSED_ATTENTION):
        parts.append((value * 2 + width_of(1)) * block.heads * step.sequence)
    used = 1 if block.experts_used is None else block.experts_used
    for inner in (block.inner, block.shared_inner):
        if inner is not None:
            parts.append(value * inner * (3 if block.gated else 2) * used)
    return total((*parts, none), BYTE)
