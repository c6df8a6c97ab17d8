"""ViT and DeiT: an image cut into patches, one token each, and a token for the class."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.families._encoder import Encoder, encoders
from fiche.families._vision import NO_WORDS, one_of, patches
from fiche.kernel.config import Config
from fiche.kernel.figure import Node

_LAYER = """
attention.{q,k,v}_proj linear+qkv_bias hidden hidden
attention.o_proj linear+ hidden hidden
layernorm_before norm+ hidden
layernorm_after norm+ hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
"""

_BODY = """
embeddings.cls_token =embedding 1 1 hidden
?masked embeddings.mask_token =embedding 1 1 hidden
?distilled embeddings.distillation_token =embedding 1 1 hidden
!distilled embeddings.position_embeddings =position 1 places+1 hidden
?distilled embeddings.position_embeddings =position 1 places+2 hidden
embeddings.patch_embeddings.projection convolution+ hidden colours patch patch
layernorm norm+ hidden
?pooler pooler.dense linear+ pooled hidden
"""

_DIMS: Mapping[str, str | Callable[[Config], Node]] = {
    **NO_WORDS,
    "colours": "num_channels",
    "patch": lambda config: one_of(config, "patch_size"),
    "places": patches,
    "pooled": lambda config: config.number(
        "hidden_size" if config.value("pooler_output_size") is None else "pooler_output_size"
    ),
}

_CLASSES = "classifier linear+ labels hidden"

_VIT = Encoder(
    outer=_BODY,
    layer=_LAYER,
    layers="layers.*.",
    base="vit.",
    heads={"ForImageClassification": _CLASSES},
    dims=_DIMS,
    words={"qkv_bias": "qkv_bias"},
    part="vision",
)

_TWO = """
cls_classifier linear+ labels hidden
distillation_classifier linear+ labels hidden
"""

MEMBER = encoders(
    "vit",
    "ViT and DeiT",
    "transformers 5.24 models/vit and models/deit",
    {
        "vit": _VIT,
        "deit": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="layers.*.",
            base="deit.",
            heads={
                "ForImageClassification": _CLASSES,
                "ForImageClassificationWithTeacher": _TWO,
            },
            dims=_DIMS,
            words={"qkv_bias": "qkv_bias"},
            more=lambda config: ("distilled",),
            part="vision",
        ),
    },
)
