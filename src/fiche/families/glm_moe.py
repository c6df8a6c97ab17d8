"""Grouped-query decoders with routed and shared experts, after GLM-4.5 and DeepSeek's router."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._decoder import Decoder, family
from fiche.families._experts import SHARED_DIMS, after_first, first_dense, unread_frequency
from fiche.families._kinds import BIAS
from fiche.families._reach import every, from_window_layers
from fiche.families._tables import (
    ATTENTION,
    CORRECTION,
    EXPERTS,
    GATED,
    NORMS,
    OUTER,
    SHARED,
)
from fiche.kernel.config import Config
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_NORMS_IF = """
?head_norms self_attn.{q,k}_norm norm head
"""

GLM_MOE = Decoder(
    outer=OUTER,
    attention=ATTENTION + _NORMS_IF,
    layer=NORMS,
    dense=GATED,
    sparse=EXPERTS + CORRECTION + SHARED,
    words=("qkv_bias=attention_bias", "head_norms=use_qk_norm"),
    dims=SHARED_DIMS,
    mlp=after_first("first_k_dense_replace"),
    doubts=unread_frequency,
    predicts=True,
)


def _unlisted(config: Config) -> Iterable[str]:
    """Which layers hold experts is in the file or nowhere."""
    if config.value("mlp_layer_types", "first_k_dense_replace") is None:
        yield tell(
            "say which layers hold experts: neither mlp_layer_types nor first_k_dense_replace does"
        )


KINDS = {
    "glm4_moe": GLM_MOE,
    "glm4v_moe_text": replace(GLM_MOE, words=("qkv_bias=attention_bias",)),
    "deepseek_ocr2_text": replace(
        GLM_MOE,
        sparse=EXPERTS + SHARED,
        words=(*BIAS, "mlp_bias=mlp_bias"),
        dims={**SHARED_DIMS, "head": "hidden/heads"},
        doubts=_unlisted,
    ),
    "dots1": replace(GLM_MOE, words=(*BIAS, "head_norms"), reach=from_window_layers),
    "exaone_moe": replace(GLM_MOE, words=("head_norms",), reach=every(4, "sliding_window_pattern")),
    "hy_v3": replace(
        GLM_MOE,
        sparse=EXPERTS + CORRECTION.replace("mlp.gate.", "mlp.") + SHARED,
        words=(*BIAS, "mlp_bias=mlp_bias", "head_norms"),
        mlp=first_dense(1),
    ),
    "sarvam_moe": GLM_MOE,
    "solar_open": replace(GLM_MOE, dense="", mlp=None, words=("qkv_bias=attention_bias",)),
}

MEMBER = family(
    "glm_moe",
    "GLM-4.5 and decoders with routed and shared experts",
    "transformers 5.24.0, modeling_glm4_moe.py, modeling_dots1.py and those like them",
    KINDS,
)
