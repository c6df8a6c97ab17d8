"""What the name of a stored tensor says of it, where no parameter of the model has that name.

Names as checkpoints of transformers 5.24.0, AutoGPTQ, AutoAWQ, compressed-tensors, bitsandbytes, GGUF and
the published repositories of the truth cases have them. Only what no configuration explains is asked here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

# Patterns are compiled when they are first asked, not when this module is imported.
# A packed tensor, and the parameter whose values it holds: AutoGPTQ and AutoAWQ, compressed-tensors, MXFP4.
_PACKED: tuple[tuple[str, str], ...] = (
    (".qweight", ".weight"),
    (".weight_packed", ".weight"),
    ("_blocks", ""),
    (".weight_quantized", ".weight"),
)

_SCALE = (
    r"(?:[._](?:weight_)?scales?(?:_inv|_2)?|[._](?:input|output|activation|weight_global|input_global)_scale"
    r"|[._][kqv]_scale|\.q?zeros|\.g_idx|\.perm|\.weight_zero_point|\.weight_shape|\.weight_g_idx"
    r"|\.(?:nested_)?absmax|\.(?:nested_)?quant_map|\.quant_state\.\S+|\.SCB|\.weight_format)"
)
_BUFFER = (
    r"(?:\S*[._])?(?:inv_freq|position_ids|token_type_ids|masked_bias|attn\.bias|attention\.bias"
    r"|rotary_emb\.\S+|rotary_pos_emb\.\S+|rope_freqs\S*|rope_factors\S*|cos_cached|sin_cached|causal_mask"
    r"|e_score_correction_bias|expert_bias|exp_probs_b\.bias|num_batches_tracked|running_mean|running_var"
    r"|relative_position_index|attn_mask|original_inv_freq)"
)
_PREDICTION = r"(?:\S*\.)?(?:mtp\w*|nextn\w*|eh_proj|enorm|hnorm|shared_head)(?:\.\S*)?"
_HEAD = r"(?:\S*\.)?(?:lm_head|output|embed_out|proj_out|decoder|generator_lm_head|output_layer)\.weight"
_OTHER_HEAD = (
    r"(?:\S*\.)?(?:cls|pooler|classifier|score|qa_outputs|seq_relationship|lm_head|classification_head"
    r"|visual_projection|text_projection|logit_scale)(?:\.\S*)?"
)
_EMBEDDING = (
    r"(?:\S*\.)?(?:embed_tokens|word_embeddings|wte|embeddings|embedding|shared|token_embd|embed_in"
    r"|tok_embeddings)\.weight"
)
_ROLES: tuple[tuple[str, str], ...] = (
    ("embedding", _EMBEDDING),
    ("head", _HEAD),
    ("position", r"\S*(?:embed_positions|position_embd|position_embeddings|wpe)\S*"),
    ("router", r"\S*(?:ffn_gate_inp|router|mlp\.gate|block_sparse_moe\.gate)\S*"),
    ("norm", r"\S*(?:norm|ln_\w+|layernorm)\S*"),
    ("expert", r"\S*(?:experts|_exps)\b\S*"),
    ("bias", r"\S*[._]bias"),
)
# Wrappers that one library puts around a model and another leaves out.
_WRAPPERS = frozenset({"model", "language_model", "module", "base_model", "transformer"})
_MOST_LETTERS = 1000
_MOST_NAMES = 2**17  # kept in mind: files are asked about one name again and again
_OLDER: Mapping[str, str] = {"gamma": "weight", "beta": "bias"}


def held_name(name: str) -> str:
    """The parameter whose values a packed tensor of this name holds; the name itself otherwise."""
    for ending, instead in _PACKED:
        if name.endswith(ending):
            return name.removesuffix(ending) + instead
    return name


def plain_name(name: str) -> str:
    """A name without the wrappers that differ between a class and its checkpoints."""
    parts = [_OLDER.get(part, part) for part in name.split(".")]
    return ".".join(part for part in parts if part not in _WRAPPERS) or name


def is_scale(name: str) -> bool:
    """Scales, zero points and indices of quantised values."""
    return _matches(rf"\S*{_SCALE}", name)


def is_buffer(name: str) -> bool:
    """What a class computes or keeps beside its parameters: frequencies, position ids, masks, counters."""
    return _matches(_BUFFER, name)


def is_prediction(name: str) -> bool:
    """Of a block that predicts further tokens."""
    return _matches(_PREDICTION, name)


def is_head(name: str) -> bool:
    """An output layer over the vocabulary."""
    return _matches(_HEAD, name)


def is_other_head(name: str) -> bool:
    """A head that some class puts on the same model."""
    return _matches(_OTHER_HEAD, name)


def is_embedding(name: str) -> bool:
    """A table of vectors by token."""
    return _matches(_EMBEDDING, name)


@lru_cache(maxsize=_MOST_NAMES)
def role_of(name: str) -> str:
    """The role that a tensor's name speaks of: linear where it speaks of no other."""
    return next((role for role, pattern in _ROLES if _matches(pattern, name)), "linear")


def _matches(pattern: str, name: str) -> bool:
    """True where the whole name is of this form.

    Names come from files that may be hostile. No name of a module holds a space, and without one the
    patterns above go on to the end; a name longer than any is of no form, for trying it takes too long.
    """
    sane = len(name) <= _MOST_LETTERS and not any(map(str.isspace, name))
    return sane and re.fullmatch(pattern, name) is not None
