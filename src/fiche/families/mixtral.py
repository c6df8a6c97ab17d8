"""Mixtral and decoders like it: experts in every layer, no dense one beside them."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._experts import EXPERT_DIMS, SHARED_DIMS
from fiche.families._kinds import BIAS
from fiche.families._tables import ATTENTION, EXPERTS, NORMS, OUTER, SHARED, WIDE_NORMS
from fiche.kernel.record import replace

MIXTRAL = Decoder(
    outer=OUTER,
    attention=ATTENTION,
    layer=NORMS,
    sparse=EXPERTS,
    dims={**EXPERT_DIMS, "expert_ffn": "intermediate_size"},
)

_CORRECTED = """
mlp.e_score_correction_bias =buffer experts
"""

# Aria keeps (experts, inputs, outputs).
_ARIA = """
mlp.router router experts hidden
mlp.experts.gate_up_proj =expert experts hidden 2*expert_ffn
mlp.experts.down_proj =expert experts expert_ffn hidden
"""

KINDS = {
    "aria_text": replace(
        MIXTRAL,
        sparse=_ARIA + SHARED,
        words=(*BIAS, "mlp_bias=mlp_bias"),
        dims={**SHARED_DIMS, "expert_ffn": "intermediate_size"},
    ),
    "mixtral": MIXTRAL,
    "phimoe": replace(
        MIXTRAL,
        sparse=EXPERTS.replace("mlp.gate router", "mlp.router router"),
        words=(*BIAS, "norm_bias", "head_bias=lm_head_bias"),
    ),
    "olmoe": replace(MIXTRAL, attention=ATTENTION + WIDE_NORMS, words=BIAS),
    "flex_olmo": replace(
        MIXTRAL,
        attention=ATTENTION + WIDE_NORMS,
        layer="post_{attention,feedforward}_layernorm norm hidden",
        words=BIAS,
    ),
    "minimax_m2": replace(MIXTRAL, attention=ATTENTION + WIDE_NORMS, sparse=EXPERTS + _CORRECTED),
}

MEMBER = family(
    "mixtral",
    "Mixtral and decoders of experts only",
    "transformers 5.24.0, modeling_mixtral.py, modeling_olmoe.py, modeling_minimax_m2.py",
    KINDS,
)
