"""GLM, dense: gate and up projections in one tensor, from GLM-4 on norms after each block too."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._tables import ATTENTION, FUSED_GATED, NORMS, OUTER
from fiche.kernel.record import replace

GLM = Decoder(
    outer=OUTER,
    attention=ATTENTION,
    layer=NORMS,
    dense=FUSED_GATED,
    words=("qkv_bias=attention_bias",),
)

GLM4 = replace(GLM, layer=NORMS + "post_{self_attn,mlp}_layernorm norm hidden")

KINDS = {
    "glm": GLM,
    "glm4": GLM4,
    "glm4v_text": replace(GLM4, words=("qkv_bias",)),
    "glm_ocr_text": replace(GLM4, words=()),
    "glm_image_text": GLM4,
}

MEMBER = family(
    "glm", "GLM, dense", "transformers 5.24.0, modeling_glm.py and modeling_glm4.py", KINDS
)
