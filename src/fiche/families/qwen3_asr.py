"""Qwen3-ASR: convolutions over two dimensions of sound and an encoder, in front of Qwen 3."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._vision import NO_WORDS, Tower, Wrapper, joined, wrappers
from fiche.families.whisper import LAYER
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, ceil

_NAME, _TITLE = "qwen3_asr", "Qwen3-ASR"
_SOURCE = "transformers 5.24 models/qwen3_asr"

_BODY = """
conv2d1 convolution+ halved 1 3 3
conv2d{2,3} convolution+ halved halved 3 3
conv_out linear hidden halved*bands
ln_post norm+ hidden
"""


def _bands(config: Config) -> Node:
    """Bands of sound after three convolutions that halve them, rounded up."""
    return ceil(ceil(ceil(config.number("num_mel_bins") / 2) / 2) / 2)


_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "qwen3_asr_encoder": Encoder(
            outer=_BODY,
            layer=LAYER.replace("k_proj linear hidden", "k_proj linear+ hidden"),
            layers="layers.*.",
            base="",
            heads={},
            dims={
                **NO_WORDS,
                "hidden": "d_model",
                "ffn": "encoder_ffn_dim",
                "heads": "encoder_attention_heads",
                "halved": "downsample_hidden_size",
                "bands": _bands,
            },
            depth="encoder_layers",
            part="audio",
        )
    },
)

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "qwen3_asr": Wrapper(
            towers=(Tower(key="audio_config", prefix="model.audio_tower.", part="audio"),),
            projector="""
multi_modal_projector.linear_1 linear+ heard heard
multi_modal_projector.linear_2 linear+ out heard
""",
            dims=lambda config, parts: {
                "heard": parts["audio_config"].number("d_model"),
                "out": parts["audio_config"].number("output_dim"),
            },
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
