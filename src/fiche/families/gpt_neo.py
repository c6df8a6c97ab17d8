"""GPT-Neo, GPT-J and CodeGen: EleutherAI's first decoders and what follows them."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._heads import FOUR_TIMES
from fiche.families._tables import HEAD
from fiche.kernel.record import replace

_GPTJ_OUTER = f"""
transformer.wte embedding vocabulary hidden
transformer.ln_f norm+ hidden
{HEAD}
"""

_GPTJ_FEED_FORWARD = """
mlp.fc_in linear+ ffn hidden
mlp.fc_out linear+ hidden ffn
"""

GPTJ = Decoder(
    outer=_GPTJ_OUTER,
    attention="attn.{q,k,v,out}_proj linear hidden hidden",
    layer="ln_1 norm+ hidden",
    dense=_GPTJ_FEED_FORWARD,
    prefix="transformer.h.*.",
    words=("head_bias",),
    dims=FOUR_TIMES,
    gated=False,
)

_NEO_OUTER = f"""
transformer.wte embedding vocabulary hidden
transformer.wpe position positions hidden
transformer.ln_f norm+ hidden
{HEAD}
"""

_NEO_ATTENTION = """
attn.attention.{q,k,v}_proj linear hidden hidden
attn.attention.out_proj linear+ hidden hidden
"""

_CODEGEN_ATTENTION = """
attn.qkv_proj linear 3*hidden hidden
attn.out_proj linear hidden hidden
"""

KINDS = {
    "gptj": GPTJ,
    "codegen": replace(GPTJ, attention=_CODEGEN_ATTENTION),
    "gpt_neo": replace(
        GPTJ,
        outer=_NEO_OUTER,
        attention=_NEO_ATTENTION,
        layer="ln_{1,2} norm+ hidden",
        dense=_GPTJ_FEED_FORWARD.replace("fc_in", "c_fc").replace("fc_out", "c_proj"),
        words=(),
        dims={**FOUR_TIMES, "ffn": "intermediate_size ?wide"},
    ),
}

MEMBER = family(
    "gpt_neo",
    "GPT-Neo, GPT-J and CodeGen",
    "transformers 5.24.0, modeling_gpt_neo.py, modeling_gptj.py, modeling_codegen.py",
    KINDS,
)
