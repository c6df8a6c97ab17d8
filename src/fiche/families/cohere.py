"""Cohere Command: attention and feed-forward side by side after one norm."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._kinds import BIAS
from fiche.families._reach import by_window, every
from fiche.families._tables import ATTENTION, GATED, OUTER
from fiche.kernel.record import replace

COHERE2 = Decoder(
    outer=OUTER,
    attention=ATTENTION,
    layer="input_layernorm norm hidden",
    dense=GATED,
    words=BIAS,
    dims={"head": "hidden/heads"},
    reach=every(4, "sliding_window_pattern"),
)

_NORMS_BY_HEAD = """
?qk_norm self_attn.q_norm norm heads head
?qk_norm self_attn.k_norm norm kv_heads head
"""

KINDS = {
    "cohere": replace(
        COHERE2,
        attention=ATTENTION + _NORMS_BY_HEAD,
        words=(*BIAS, "qk_norm=use_qk_norm"),
        dims={},
        reach=by_window,
    ),
    "cohere2": COHERE2,
}

MEMBER = family(
    "cohere",
    "Cohere Command",
    "transformers 5.24.0, modeling_cohere.py and modeling_cohere2.py",
    KINDS,
)
