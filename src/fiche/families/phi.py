"""Phi 1 to 4: one norm for both blocks at first, fused projections from the third on."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._tables import FUSED_GATED, HEAD, NORMS, OUTER

_OUTER = f"""
model.embed_tokens embedding vocabulary hidden
model.final_layernorm norm+ hidden
{HEAD}
"""

_ATTENTION = """
self_attn.q_proj linear+ query hidden
self_attn.{k,v}_proj linear+ kv hidden
self_attn.dense linear+ hidden query
?head_norms self_attn.{q,k}_layernorm norm+ head
"""

_FEED_FORWARD = """
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
"""

_FUSED_ATTENTION = """
self_attn.qkv_proj linear query+2*kv hidden
self_attn.o_proj linear hidden query
"""

KINDS = {
    "phi": Decoder(
        outer=_OUTER,
        attention=_ATTENTION,
        layer="input_layernorm norm+ hidden",
        dense=_FEED_FORWARD,
        words=("head_bias", "head_norms=qk_layernorm"),
        dims={"head": "hidden/heads"},
        gated=False,
    ),
    "phi3": Decoder(outer=OUTER, attention=_FUSED_ATTENTION, layer=NORMS, dense=FUSED_GATED),
}

MEMBER = family(
    "phi", "Phi 1 to 4", "transformers 5.24.0, modeling_phi.py and modeling_phi3.py", KINDS
)
