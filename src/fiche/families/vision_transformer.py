"""The vision transformer of torchvision, by the dimensions its class takes: it has no configuration file.

A configuration that names no model type and has these dimensions is one.
"""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._vision import NO_WORDS, patches

_BODY = """
class_token =embedding 1 1 hidden
conv_proj convolution+ hidden 3 patch patch
encoder.pos_embedding =position 1 places+1 hidden
encoder.ln norm+ hidden
heads.head head+ classes hidden
"""

_LAYER = """
ln_{1,2} norm+ hidden
self_attention.in_proj_weight =linear 3*hidden hidden
self_attention.in_proj_bias =bias 3*hidden
self_attention.out_proj linear+ hidden hidden
mlp.* linear+ ffn hidden
mlp.* linear+ hidden ffn
"""

MEMBER = encoders(
    "vision_transformer",
    "Vision transformer of torchvision",
    "torchvision 0.29, models/vision_transformer.py",
    {
        "vision_transformer": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="encoder.layers.encoder_layer_*.",
            base="",
            heads={"VisionTransformer": ""},
            dims={
                **NO_WORDS,
                "hidden": "hidden_dim",
                "ffn": "mlp_dim",
                "heads": "num_heads",
                "patch": "patch_size",
                "places": patches,
                "classes": "num_classes",
            },
            depth="num_layers",
            part="vision",
        )
    },
)
