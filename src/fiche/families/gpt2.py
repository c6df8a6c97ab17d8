"""GPT and GPT-2: learned positions, one tensor for queries, keys and values, stored inputs first."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims
from fiche.families._heads import FOUR_TIMES, crossed
from fiche.families._rows import fixed
from fiche.families._tables import HEAD
from fiche.kernel.figure import Node
from fiche.kernel.record import replace

_OUTER = f"""
transformer.wte embedding vocabulary hidden
transformer.wpe position positions hidden
transformer.ln_f norm+ hidden
{HEAD}
"""

# `Conv1D` keeps (inputs, outputs).
_ATTENTION = """
attn.c_attn.weight =linear hidden 3*hidden
attn.c_attn.bias =bias 3*hidden
attn.c_proj.weight =linear hidden hidden
attn.c_proj.bias =bias hidden
"""

_FEED_FORWARD = """
mlp.c_fc.weight =linear hidden ffn
mlp.c_fc.bias =bias ffn
mlp.c_proj.weight =linear ffn hidden
mlp.c_proj.bias =bias hidden
"""

_NORMS = """
ln_{1,2} norm+ hidden
"""

# One key-value head for all queries where `multi_query` says so.
_BIGCODE_ATTENTION = """
attn.c_attn linear+ hidden+2*kv hidden
attn.c_proj linear+ hidden hidden
"""

_BIGCODE_FEED_FORWARD = """
mlp.c_fc linear+ ffn hidden
mlp.c_proj linear+ hidden ffn
"""


def _shared_heads(dims: Dims) -> Node:
    return fixed(1) if dims.config.flag("multi_query") else dims["heads"]


GPT2 = Decoder(
    outer=_OUTER,
    attention=_ATTENTION,
    layer=_NORMS,
    dense=_FEED_FORWARD,
    prefix="transformer.h.*.",
    dims=FOUR_TIMES,
    gated=False,
    doubts=crossed,
)

_CTRL_OUTER = f"""
transformer.w embedding vocabulary hidden
transformer.layernorm norm+ hidden
{HEAD}
"""

KINDS = {
    "ctrl": replace(
        GPT2,
        outer=_CTRL_OUTER,
        attention="multi_head_attention.{Wq,Wk,Wv,dense} linear+ hidden hidden",
        layer="layernorm{1,2} norm+ hidden",
        dense="ffn.* linear+ ffn hidden\nffn.* linear+ hidden ffn",
        words=("head_bias",),
        dims={**FOUR_TIMES, "ffn": "dff"},
        doubts=None,
    ),
    "gpt2": GPT2,
    "gpt-sw3": GPT2,
    "openai-gpt": replace(
        GPT2,
        outer=_OUTER.replace("wte", "tokens_embed")
        .replace("wpe", "positions_embed")
        .replace("transformer.ln_f norm+ hidden\n", ""),
        dims={**GPT2.dims, "ffn": "4*hidden"},
    ),
    "gpt_bigcode": replace(
        GPT2,
        attention=_BIGCODE_ATTENTION,
        dense=_BIGCODE_FEED_FORWARD,
        dims={**FOUR_TIMES, "kv_heads": _shared_heads},
    ),
}

MEMBER = family(
    "gpt2",
    "GPT, GPT-2, GPT-BigCode and CTRL",
    "transformers 5.24.0, modeling_gpt2.py, modeling_openai.py, modeling_gpt_bigcode.py",
    KINDS,
)
