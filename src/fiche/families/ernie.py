"""Ernie 4.5 with experts, and the text side of its vision model: experts for text and for images."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims
from fiche.families._experts import SHARED_DIMS, between, first_dense, shares
from fiche.families._reads import listed_number
from fiche.families._rows import fixed
from fiche.families._tables import ATTENTION, EXPERTS, GATED, NORMS, OUTER, SHARED
from fiche.kernel.figure import Node
from fiche.kernel.record import replace

_BIAS = ("qkv_bias=use_bias", "o_bias=use_bias", "mlp_bias=use_bias")

_CORRECTION = """
mlp.gate.moe_statics.e_score_correction_bias =router 1 experts
"""


ERNIE_MOE = Decoder(
    outer=OUTER,
    attention=ATTENTION,
    layer=NORMS,
    dense=GATED,
    sparse=EXPERTS + _CORRECTION + SHARED.replace("mlp.shared", "?shared mlp.shared"),
    words=(*_BIAS, "head_bias=use_bias"),
    dims=SHARED_DIMS,
    mlp=between,
    more_words=shares,
)

# Experts for text and experts for images, each with its own router; those shared have the text's width.
_VISION = """
mlp.text_moe.gate router experts hidden
mlp.text_moe.experts.gate_up_proj =expert experts 2*expert_ffn hidden
mlp.text_moe.experts.down_proj =expert experts hidden expert_ffn
mlp.vision_moe.gate router experts hidden
mlp.vision_moe.experts.gate_up_proj =expert experts 2*vision_ffn hidden
mlp.vision_moe.experts.down_proj =expert experts hidden vision_ffn
mlp.{text,vision}_moe.gate.moe_statics.e_score_correction_bias =router 1 experts
"""


def _width(index: int, otherwise: int) -> Callable[[Dims], Node]:
    """A width of the list `moe_intermediate_size`, whose class has 1536 and 512."""
    return lambda dims: (
        fixed(otherwise)
        if dims.config.value("moe_intermediate_size") is None
        else listed_number(dims.config, "moe_intermediate_size", index)
    )


KINDS = {
    "ernie4_5_moe": ERNIE_MOE,
    "ernie4_5_vl_moe_text": replace(
        ERNIE_MOE,
        sparse=_VISION + SHARED.replace("mlp.shared", "?shared mlp.shared"),
        dims={**SHARED_DIMS, "expert_ffn": _width(0, 1536), "vision_ffn": _width(1, 512)},
        words=_BIAS,
        mlp=first_dense(1),
    ),
}

MEMBER = family(
    "ernie",
    "Ernie 4.5 with experts",
    "transformers 5.24.0, modeling_ernie4_5_moe.py",
    KINDS,
)
