"""Structures that several families start from."""

from __future__ import annotations

from fiche.families._decoder import Decoder
from fiche.families._tables import ATTENTION, GATED, NORMS, OUTER
from fiche.kernel.record import replace

BIAS = ("qkv_bias=attention_bias", "o_bias=attention_bias")

LLAMA = Decoder(
    outer=OUTER,
    attention=ATTENTION,
    layer=NORMS,
    dense=GATED,
    words=(*BIAS, "mlp_bias=mlp_bias"),
)

UNBIASED = replace(LLAMA, words=())
