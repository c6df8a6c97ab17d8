"""GPT-OSS: biased experts, attention sinks, a window in every other layer."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._experts import EXPERT_DIMS
from fiche.families._kinds import BIAS
from fiche.families._reach import every
from fiche.families._tables import ATTENTION, NORMS, OUTER, SINKS

# Experts as (experts, inputs, outputs): the other way round than everywhere else.
_EXPERTS = """
mlp.router router+ experts hidden
mlp.experts.gate_up_proj =expert experts hidden 2*expert_ffn
mlp.experts.gate_up_proj_bias =bias experts 2*expert_ffn
mlp.experts.down_proj =expert experts expert_ffn hidden
mlp.experts.down_proj_bias =bias experts hidden
"""

KINDS = {
    "gpt_oss": Decoder(
        outer=OUTER,
        attention=ATTENTION + SINKS,
        layer=NORMS,
        sparse=_EXPERTS,
        words=BIAS,
        dims={**EXPERT_DIMS, "expert_ffn": "intermediate_size"},
        reach=every(2),
    ),
}

MEMBER = family("gpt_oss", "GPT-OSS", "transformers 5.24.0, modeling_gpt_oss.py", KINDS)
