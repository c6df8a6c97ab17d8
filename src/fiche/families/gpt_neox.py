"""GPT-NeoX (Pythia), Persimmon and the Japanese NeoX: one tensor for queries, keys and values."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._heads import PLAIN_HEADS
from fiche.families._tables import HEAD
from fiche.kernel.record import replace

_OUTER = f"""
gpt_neox.embed_in embedding vocabulary hidden
gpt_neox.final_layer_norm norm+ hidden
{HEAD}
"""

_ATTENTION = """
attention.query_key_value linear+qkv_bias 3*hidden hidden
attention.dense linear+qkv_bias hidden hidden
"""

_FEED_FORWARD = """
mlp.dense_h_to_4h linear+mlp_bias ffn hidden
mlp.dense_4h_to_h linear+mlp_bias hidden ffn
"""

NEOX = Decoder(
    outer=_OUTER,
    attention=_ATTENTION,
    layer="{input,post_attention}_layernorm norm+ hidden",
    dense=_FEED_FORWARD,
    prefix="gpt_neox.layers.*.",
    words=("qkv_bias=attention_bias", "mlp_bias"),
    dims=PLAIN_HEADS,
    gated=False,
)

_PERSIMMON_OUTER = f"""
model.embed_tokens embedding vocabulary hidden
model.final_layernorm norm+ hidden
{HEAD}
"""

_PERSIMMON_ATTENTION = f"""
{_ATTENTION.replace("attention.", "self_attn.")}
?head_norms self_attn.{{q,k}}_layernorm norm+ head
"""

# The library adds one bias in the last layer only.
_JAPANESE_OUTER = """
gpt_neox_japanese.embed_in embedding vocabulary hidden
gpt_neox_japanese.layers.*.attention.dense_bias =bias hidden
gpt_neox_japanese.final_layer_norm norm+ hidden
!tied embed_out head vocabulary hidden
"""

KINDS = {
    "gpt_neox": NEOX,
    "gpt_neox_japanese": replace(
        NEOX,
        outer=_JAPANESE_OUTER,
        prefix="gpt_neox_japanese.layers.*.",
        words=(),
        dims={**PLAIN_HEADS, "multiple": "intermediate_multiple_size", "ffn": "multiple*hidden"},
    ),
    "persimmon": replace(
        NEOX,
        outer=_PERSIMMON_OUTER,
        attention=_PERSIMMON_ATTENTION,
        prefix="model.layers.*.",
        words=("qkv_bias", "mlp_bias", "head_norms=qk_layernorm"),
    ),
}

MEMBER = family(
    "gpt_neox",
    "GPT-NeoX, Pythia and Persimmon",
    "transformers 5.24.0, modeling_gpt_neox.py and modeling_persimmon.py",
    KINDS,
)
