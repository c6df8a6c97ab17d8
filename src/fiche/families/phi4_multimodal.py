"""Phi-4-multimodal: a SigLIP tower and a Conformer for sound, beside the layers of Phi 3."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.families._encoder import Encoder, encoders
from fiche.families._vision import NO_WORDS, Parts, Tower, Wrapper, joined, patches, wrappers
from fiche.families.siglip import LAYER
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, ceil

_NAME, _TITLE = "phi4_multimodal", "Phi-4-multimodal"
_SOURCE = "transformers 5.24 models/phi4_multimodal"

_SEEN = """
embeddings.patch_embedding convolution+ hidden colours patch patch
embeddings.position_embedding position places hidden
post_layernorm norm+ hidden
head.probe =embedding 1 1 hidden
head.attention.in_proj_weight =linear 3*hidden hidden
head.attention.in_proj_bias =bias 3*hidden
head.attention.out_proj linear+ hidden hidden
head.layernorm norm+ hidden
head.mlp.fc1 linear+ ffn hidden
head.mlp.fc2 linear+ hidden ffn
"""

_HEARD = """
embed.conv.* convolution+ channels 1 3 3
embed.conv.* convolution+@2 channels 1 3 3
embed.conv.* convolution+@2 channels channels 1 1
embed.out linear+ hidden channels*bands
relative_attention_bias_layer.bias_values position 2*reach heads
encoder_embedding.{global_mean,global_invstd} =buffer into
"""

_HEARD_LAYER = """
feed_forward_{in,out}.layer_norm norm+ hidden
feed_forward_{in,out}.gate_up_proj linear+ 2*ffn hidden
feed_forward_{in,out}.down_proj linear+ hidden ffn
self_attn.{q,k,v,o}_proj linear+ hidden hidden
conv.layer_norm norm+ hidden
conv.glu.{b1,b2} =bias 1 pointwise 1
conv.glu.ext_pw_conv_1d convolution+ 2*pointwise hidden 1
conv.dw_sep_conv_1d.dw_conv convolution+ separable 1 kernel
conv.dw_sep_conv_1d.pw_conv convolution+ separated separable 1
conv.ext_pw_conv_1d convolution+ pointwise hidden 1
{layer_norm_att,layer_norm} norm+ hidden
"""


def _bands(config: Config) -> Node:
    """Values of a frame after convolutions that halve them, rounded up, as often as time is halved."""
    found: Node = config.number("input_size")
    for _ in range(max((config.whole("time_reduction") or 1).bit_length() - 1, 0)):
        found = ceil(found / 2)
    return found


def _separable(config: Config) -> Node:
    return config.number("hidden_size") * config.number("depthwise_multiplier")


_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "phi4_multimodal_vision": Encoder(
            outer=_SEEN,
            layer=LAYER,
            layers="encoder.layers.*.",
            base="",
            heads={},
            dims={**NO_WORDS, "colours": "num_channels", "patch": "patch_size", "places": patches},
            part="vision",
        ),
        "phi4_multimodal_audio": Encoder(
            outer=_HEARD,
            layer=_HEARD_LAYER,
            layers="encoders.*.",
            base="",
            heads={},
            dims={
                **NO_WORDS,
                "channels": "nemo_conv_channels",
                "bands": _bands,
                "reach": "bias_max_distance",
                "into": "input_size",
                "pointwise": "ext_pw_out_channel",
                "separated": "depthwise_separable_out_channel",
                "separable": _separable,
                "kernel": "kernel_size",
            },
            depth="num_blocks",
            part="audio",
        ),
    },
)

_PROJECTOR = """
image_embed.global_img_feature_extensor =embedding 1 1 seen
image_embed.sub_img_feature_extensor =embedding 1 1 1 seen
image_embed.img_projection_up linear+ hidden seen
image_embed.img_projection_down linear+ hidden hidden
audio_embed.up_proj_for_speech linear+ hidden heard
audio_embed.down_proj_for_speech linear+ hidden hidden
audio_embed.up_proj_for_vision_speech linear+ hidden heard
audio_embed.down_proj_for_vision_speech linear+ hidden hidden
"""


def _dims(config: Config, parts: Parts) -> Mapping[str, Node]:
    return {
        "hidden": config.number("hidden_size"),
        "seen": parts["vision_config"].number("hidden_size"),
        "heard": parts["audio_config"].number("hidden_size"),
    }


_EXTENDED = "model.embed_tokens_extend."

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "phi4_multimodal": Wrapper(
            towers=(
                Tower(key="vision_config", prefix=f"{_EXTENDED}image_embed.img_processor."),
                Tower(key="audio_config", prefix=f"{_EXTENDED}audio_embed.encoder.", part="audio"),
            ),
            projector=_PROJECTOR,
            projected=_EXTENDED,
            joins=True,
            dims=_dims,
            text_prefix="model.",
            flat="phi3",
        )
    },
)

MEMBER = Family(
    name=_NAME,
    title=_TITLE,
    source=_SOURCE,
    model_types=(*_WHOLE.model_types, *_TOWERS.model_types),
    build=joined(_WHOLE, _TOWERS),
)
