"""StableLM: norms with biases, by choice one norm a head, or one norm for both blocks."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._rows import Place, rows
from fiche.families._tables import ATTENTION, GATED, OUTER
from fiche.kernel.model import Parameters


def _norms_by_head(place: Place) -> tuple[Parameters, ...]:
    """One norm of its own for each head, in a list."""
    return (
        *rows(
            "?head_norms self_attn.q_layernorm.norms.* norm head", place.times(place.dims["heads"])
        ),
        *rows(
            "?head_norms self_attn.k_layernorm.norms.* norm head",
            place.times(place.dims["kv_heads"]),
        ),
    )


_LAYER = """
input_layernorm norm+ hidden
!parallel post_attention_layernorm norm+ hidden
"""

KINDS = {
    "stablelm": Decoder(
        outer=OUTER,
        attention=ATTENTION.replace("hidden query", "hidden hidden"),
        layer=_LAYER,
        dense=GATED,
        words=(
            "qkv_bias=use_qkv_bias",
            "norm_bias",
            "parallel=use_parallel_residual",
            "head_norms=qk_layernorm",
        ),
        dims={"head": "hidden/heads"},
        further=_norms_by_head,
    ),
}

MEMBER = family("stablelm", "StableLM", "transformers 5.24.0, modeling_stablelm.py", KINDS)
