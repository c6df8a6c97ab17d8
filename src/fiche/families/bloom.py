"""BLOOM, Falcon and MPT: biases of position in place of positions, in the first two by choice."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims
from fiche.families._heads import PLAIN_HEADS, all_heads
from fiche.families._rows import fixed
from fiche.families._tables import HEAD
from fiche.kernel.config import Config
from fiche.kernel.figure import Node
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_OUTER = f"""
transformer.word_embeddings embedding vocabulary hidden
?embedding_norm transformer.word_embeddings_layernorm norm+ hidden
transformer.ln_f norm+ hidden
{HEAD}
"""

_ATTENTION = """
self_attention.query_key_value linear+bias query+2*kv hidden
self_attention.dense linear+bias hidden hidden
"""

_FEED_FORWARD = """
mlp.dense_h_to_4h linear+bias ffn hidden
mlp.dense_4h_to_h linear+bias hidden ffn
"""

BLOOM = Decoder(
    outer=_OUTER,
    attention=_ATTENTION,
    layer="{input,post_attention}_layernorm norm+ hidden",
    dense=_FEED_FORWARD,
    prefix="transformer.h.*.",
    words=("bias", "embedding_norm"),
    dims={**PLAIN_HEADS, "hidden": "hidden_size n_embed", "ffn": "4*hidden"},
    gated=False,
)

# In parallel, one norm feeds both blocks, or each has its own; else the second has one after attention.
_FALCON_LAYER = """
!two_norms input_layernorm norm+ hidden
!parallel post_attention_layernorm norm+ hidden
?two_norms ln_{attn,mlp} norm+ hidden
"""


def _falcon_heads(dims: Dims) -> Node:
    config = dims.config
    grouped = config.flag("new_decoder_architecture")
    if config.flag("multi_query") and not grouped:
        return fixed(1)
    if not grouped or config.value("num_kv_heads") is None:
        return all_heads(dims)
    return config.number("num_kv_heads")


def _falcon_norms(config: Config) -> Iterable[str]:
    if config.flag("parallel_attn"):
        yield "parallel"
        norms = config.whole("num_ln_in_parallel_attn")
        if norms == 2 or (norms is None and config.flag("new_decoder_architecture")):
            yield "two_norms"


_MPT_OUTER = f"""
transformer.wte embedding vocabulary hidden
transformer.norm_f norm hidden
{HEAD}
"""

_MPT_ATTENTION = """
attn.Wqkv linear 3*hidden hidden
attn.out_proj linear hidden hidden
"""

_MPT_FEED_FORWARD = """
ffn.up_proj linear ffn hidden
ffn.down_proj linear hidden ffn
"""


def _mpt_doubts(config: Config) -> Iterable[str]:
    """MPT files of other code may share keys and values, and widen otherwise: the library does neither."""
    inside = config.part("attn_config")
    kind = "" if inside is None else inside.text("attn_type")
    if kind not in ("", "multihead_attention"):
        yield tell(
            "say what '{kind}' keeps: the library's MPT knows multihead_attention only", kind=kind
        )
    if config.value("expansion_ratio") not in (None, 4):
        yield tell("say how wide the feed-forward is: expansion_ratio is not 4")


KINDS = {
    "bloom": BLOOM,
    "falcon": replace(
        BLOOM,
        layer=_FALCON_LAYER,
        words=("bias=bias",),
        dims={
            "head": "hidden/heads",
            "hidden": "hidden_size n_embed",
            "heads": "num_attention_heads n_head",
            "kv_heads": _falcon_heads,
            "wide": "4*hidden",
            "ffn": "ffn_hidden_size ?wide",
        },
        more_words=_falcon_norms,
    ),
    "mpt": replace(
        BLOOM,
        outer=_MPT_OUTER,
        attention=_MPT_ATTENTION,
        layer="norm_{1,2} norm hidden",
        dense=_MPT_FEED_FORWARD,
        prefix="transformer.blocks.*.",
        words=(),
        dims={**PLAIN_HEADS, "ffn": "4*hidden"},
        doubts=_mpt_doubts,
    ),
}

MEMBER = family(
    "bloom",
    "BLOOM, Falcon and MPT",
    "transformers 5.24.0, modeling_bloom.py, modeling_falcon.py, modeling_mpt.py",
    KINDS,
)
