"""Llama 4, text: chunks in three of four layers, one shared expert beside those chosen."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._experts import EXPERT_DIMS, interleaved
from fiche.families._kinds import BIAS
from fiche.families._reach import where_rotary
from fiche.families._tables import ATTENTION, NORMS, OUTER

_DENSE = """
feed_forward.{gate,up}_proj linear ffn hidden
feed_forward.down_proj linear hidden ffn
"""

# Experts as (experts, inputs, outputs).
_SPARSE = """
feed_forward.experts.gate_up_proj =expert experts hidden 2*expert_ffn
feed_forward.experts.down_proj =expert experts expert_ffn hidden
feed_forward.router router experts hidden
feed_forward.shared_expert.{gate,up}_proj linear expert_ffn hidden
feed_forward.shared_expert.down_proj linear hidden expert_ffn
"""

KINDS = {
    "llama4_text": Decoder(
        outer=OUTER,
        attention=ATTENTION,
        layer=NORMS,
        dense=_DENSE,
        sparse=_SPARSE,
        words=BIAS,
        dims={
            **EXPERT_DIMS,
            "expert_ffn": "intermediate_size",
            "shared_ffn": "intermediate_size",
            "ffn": "intermediate_size_mlp",
        },
        reach=where_rotary,
        mlp=interleaved,
    ),
}

MEMBER = family("llama4", "Llama 4, text", "transformers 5.24.0, modeling_llama4.py", KINDS)
