"""Encoders of sound with a convolution in each layer (Conformer, wav2vec2-BERT, Parakeet); of spectrograms."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.families._encoder import Encoder, encoders
from fiche.families._rows import Place, rows
from fiche.families._stages import batch_norm
from fiche.families._vision import NO_WORDS
from fiche.families._vit import LAYER as VIT_LAYER
from fiche.families.wav2vec2 import CALLS, FRONT
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor, larger
from fiche.kernel.model import Parameters
from fiche.kernel.record import replace

_HALVES = """
ffn{1,2}_layer_norm norm+ hidden
ffn{1,2}.intermediate_dense linear+ ffn hidden
ffn{1,2}.output_dense linear+ hidden ffn
self_attn_layer_norm norm+ hidden
self_attn.linear_{q,k,v,out} linear+ hidden hidden
final_layer_norm norm+ hidden
conv_module.layer_norm norm+ hidden
conv_module.pointwise_conv1 convolution 2*hidden hidden 1
conv_module.depthwise_conv convolution hidden 1 kernel
conv_module.pointwise_conv2 convolution hidden hidden 1
"""

_CONFORMER = (
    _HALVES
    + """
?relative self_attn.pos_bias_{u,v} =bias heads head
?relative self_attn.linear_pos linear hidden hidden
"""
    + batch_norm("conv_module.batch_norm", "hidden")
)

_BERT = (
    _HALVES
    + """
conv_module.depthwise_layer_norm norm+ hidden
?keyed self_attn.distance_embedding position left+right+1 head
?relative self_attn.pos_bias_{u,v} =bias heads head
?relative self_attn.linear_pos linear hidden hidden
"""
)

_FEATURES = """
?masked masked_spec_embed =embedding hidden
feature_projection.layer_norm norm+ features
feature_projection.projection linear+ hidden features
"""


def _positions(config: Config) -> tuple[str, ...]:
    kind = config.text("position_embeddings_type")
    masks = [config.value("mask_time_prob"), config.value("mask_feature_prob")]
    told = [value for value in masks if value is not None]
    masked = not told or any(value != 0 for value in told)
    return (
        *(["relative"] if kind == "relative" else []),
        *(["rotary"] if kind == "rotary" else []),
        *(["keyed"] if kind == "relative_key" else []),
        *(["masked"] if masked else []),
    )


def _adapted(config: Config) -> tuple[str, ...]:
    if config.flag("add_adapter"):
        return ("adapters of this encoder are not understood here: give the tensors",)
    return ()


def _conformer_words(config: Config) -> tuple[str, ...]:
    found = FRONT.more(config) if FRONT.more else ()
    return (*found, *_positions(config))


def _half_head(config: Config) -> Node:
    return floor(config.number("hidden_size") / config.number("num_attention_heads") / 2)


_HALVED = """
subsampling.layers.* convolution+ channels 1 window window
subsampling.linear linear+ hidden channels*bands
"""

_PARAKEET = """
feed_forward{1,2}.linear1 linear+bias ffn hidden
feed_forward{1,2}.linear2 linear+bias hidden ffn
self_attn.bias_{u,v} =bias heads head
self_attn.{q,k,v,o}_proj linear+bias hidden hidden
self_attn.relative_k_proj linear hidden hidden
conv.pointwise_conv1 convolution+conv_bias 2*hidden hidden 1
conv.depthwise_conv convolution+conv_bias hidden 1 kernel
conv.pointwise_conv2 convolution+conv_bias hidden hidden 1
norm_{feed_forward1,self_att,conv,feed_forward2,out} norm+ hidden
""" + batch_norm("conv.norm", "hidden")

_PAIRS = """
subsampling.layers.* convolution+ channels 1 window window
subsampling.layers.* convolution+ channels channels 1 1
"""


def _halvings(config: Config) -> int:
    return max((config.whole("subsampling_factor") or 1).bit_length() - 1, 0)


def _pairs(config: Config, body: Place) -> tuple[Parameters, ...]:
    """After the first convolution, one by channel and one across for each further halving."""
    more = _halvings(config) - 1
    return rows(_PAIRS, body.times(more)) if more > 0 else ()


def _bands(config: Config) -> Node:
    return floor(config.number("num_mel_bins") / 2 ** _halvings(config))


def _biased(config: Config) -> tuple[str, ...]:
    return (
        *(["bias"] if config.flag("attention_bias") else []),
        *(["conv_bias"] if config.flag("convolution_bias") else []),
    )


_SPECTROGRAM = """
embeddings.cls_token =embedding 1 1 hidden
embeddings.distillation_token =embedding 1 1 hidden
embeddings.position_embeddings =position 1 places+2 hidden
embeddings.patch_embeddings.projection convolution+ hidden 1 patch patch
layernorm norm+ hidden
"""


def _places(config: Config) -> Node:
    """Overlapping patches over frequency and time."""
    patch = config.number("patch_size")
    bands = larger(0, config.number("num_mel_bins") - patch)
    frames = larger(0, config.number("max_length") - patch)
    high = floor(bands / config.number("frequency_stride")) + 1
    wide = floor(frames / config.number("time_stride")) + 1
    return high * wide


_DIMS: Mapping[str, str | Callable[[Config], Node]] = {
    **NO_WORDS,
    "vocabulary": "vocab_size",
    "features": "feature_projection_input_dim",
    "kernel": "conv_depthwise_kernel_size",
    "left": "left_max_position_embeddings",
    "right": "right_max_position_embeddings",
    "classes": "classifier_proj_size",
    "weighted": lambda config: config.number("num_hidden_layers") + 1,
}

MEMBER = encoders(
    "conformer",
    "Encoders of sound with convolutions in their layers, and of spectrograms",
    "transformers 5.24 models/wav2vec2_conformer, wav2vec2_bert, parakeet, audio_spectrogram_transformer",
    {
        "wav2vec2-conformer": replace(
            FRONT,
            base="wav2vec2_conformer.",
            outer=FRONT.outer + "?rotary encoder.embed_positions.inv_freq =buffer half\n",
            layer=_CONFORMER,
            heads=CALLS,
            dims={**FRONT.dims, "kernel": "conv_depthwise_kernel_size", "half": _half_head},
            more=_conformer_words,
        ),
        "wav2vec2-bert": Encoder(
            outer=_FEATURES,
            layer=_BERT,
            layers="encoder.layers.*.",
            base="wav2vec2_bert.",
            heads=CALLS,
            dims=_DIMS,
            more=_positions,
            doubts=_adapted,
            part="audio",
        ),
        "parakeet_encoder": Encoder(
            outer=_HALVED,
            layer=_PARAKEET,
            layers="layers.*.",
            base="",
            heads={"Encoder": ""},
            dims={
                **NO_WORDS,
                "channels": "subsampling_conv_channels",
                "window": "subsampling_conv_kernel_size",
                "kernel": "conv_kernel_size",
                "bands": _bands,
            },
            more=_biased,
            besides=_pairs,
            part="audio",
        ),
        "audio-spectrogram-transformer": Encoder(
            outer=_SPECTROGRAM,
            layer=VIT_LAYER,
            layers="layers.*.",
            base="audio_spectrogram_transformer.",
            heads={
                "ForAudioClassification": """
classifier.layernorm norm+ hidden
classifier.dense linear+ labels hidden
"""
            },
            dims={**NO_WORDS, "patch": "patch_size", "places": _places},
            words={"qkv_bias": "qkv_bias"},
            part="audio",
        ),
    },
)
