"""DINOv2 and DINOv3: ViTs with scaled residuals, with and without registers, the largest with gates."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._state import expanded
from fiche.families._vision import NO_WORDS, one_of, patches
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor
from fiche.kernel.record import replace

_LAYER = """
norm1 norm+ hidden
attention.{q,k,v}_proj linear+qkv_bias hidden hidden
attention.o_proj linear+ hidden hidden
layer_scale1.lambda1 =norm hidden
norm2 norm+ hidden
!swiglu mlp.fc1 linear+ ffn hidden
!swiglu mlp.fc2 linear+ hidden ffn
?swiglu mlp.{gate,up}_proj linear+ gated hidden
?swiglu mlp.down_proj linear+ hidden gated
layer_scale2.lambda1 =norm hidden
"""

_BODY = """
embeddings.cls_token =embedding 1 1 hidden
?masked embeddings.mask_token =embedding 1 hidden
?registers embeddings.register_tokens =embedding 1 registers hidden
embeddings.position_embeddings =position 1 places+1 hidden
embeddings.patch_embeddings.projection convolution+ hidden colours patch patch
layernorm norm+ hidden
"""


def _wide(config: Config) -> Node:
    return expanded(config, "mlp_ratio", config.number("hidden_size"))


def _gated(config: Config) -> Node:
    """Two thirds of the width, rounded up to eight."""
    return floor((floor(2 * _wide(config) / 3) + 7) / 8) * 8


def _masked(config: Config) -> tuple[str, ...]:
    return () if config.flag("use_mask_token") is False else ("masked",)


_PLAIN = Encoder(
    outer=_BODY,
    layer=_LAYER,
    layers="encoder.layer.*.",
    base="dinov2.",
    heads={"ForImageClassification": "classifier linear+ labels 2*hidden"},
    dims={
        **NO_WORDS,
        "ffn": _wide,
        "gated": _gated,
        "colours": "num_channels",
        "patch": lambda config: one_of(config, "patch_size"),
        "places": patches,
    },
    words={"qkv_bias": "qkv_bias", "swiglu": "use_swiglu_ffn"},
    more=_masked,
    part="vision",
)

_THIRD_BODY = """
embeddings.cls_token =embedding 1 1 hidden
embeddings.mask_token =embedding 1 1 hidden
embeddings.register_tokens =embedding 1 registers hidden
embeddings.patch_embeddings convolution+ hidden colours patch patch
norm norm+ hidden
"""

_THIRD_LAYER = """
norm1 norm+ hidden
attention.q_proj linear+query_bias hidden hidden
attention.k_proj linear+key_bias hidden hidden
attention.v_proj linear+value_bias hidden hidden
attention.o_proj linear+proj_bias hidden hidden
layer_scale1.lambda1 =norm hidden
norm2 norm+ hidden
?use_gated_mlp mlp.gate_proj linear+mlp_bias ffn hidden
mlp.up_proj linear+mlp_bias ffn hidden
mlp.down_proj linear+mlp_bias hidden ffn
layer_scale2.lambda1 =norm hidden
"""

_BIASES = ("query_bias", "key_bias", "value_bias", "proj_bias", "mlp_bias", "use_gated_mlp")

MEMBER = encoders(
    "dinov2",
    "DINOv2 and DINOv3",
    "transformers 5.24 models/dinov2, dinov2_with_registers, dinov3_vit",
    {
        "dinov2": _PLAIN,
        "dinov2_with_registers": replace(
            _PLAIN,
            base="dinov2_with_registers.",
            dims={**_PLAIN.dims, "registers": "num_register_tokens"},
            more=lambda config: (*_masked(config), "registers"),
        ),
        "dinov3_vit": Encoder(
            outer=_THIRD_BODY,
            layer=_THIRD_LAYER,
            layers="model.layer.*.",
            base="",
            heads={},
            dims={
                **NO_WORDS,
                "colours": "num_channels",
                "patch": lambda config: one_of(config, "patch_size"),
                "registers": "num_register_tokens",
            },
            words={word: word for word in _BIASES},
            part="vision",
        ),
    },
)
