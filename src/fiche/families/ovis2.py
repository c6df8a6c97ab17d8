"""Ovis 2: a tower that names visual words, and a table of their embeddings, in front of a decoder."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._vision import NO_WORDS, Tower, Wrapper, joined, patches, wrappers
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, larger

_NAME, _TITLE = "ovis2", "Ovis 2"
_SOURCE = "transformers 5.24 models/ovis2"

_BODY = """
transformer.embeddings.patch_embedding convolution+ hidden colours patch patch
transformer.embeddings.position_embedding position places hidden
transformer.embeddings.rms_norm norm hidden
transformer.rms_norm norm hidden
head_linear linear words stride*stride*hidden
head_norm norm+ words
"""

_LAYER = """
attention.{q,k,v,out}_proj linear+qkv_bias hidden hidden
ffn.{gate,up}_proj linear+mlp_bias ffn hidden
ffn.down_proj linear+mlp_bias hidden ffn
rms_norm{1,2} norm hidden
"""


def _words(config: Config) -> Node:
    """Visual words without those that mark where an image begins and ends."""
    marks = config.number("num_visual_indicator_tokens")
    return larger(0, config.number("vocab_size") - marks)


_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "ovis2_vision": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="transformer.encoder.layers.*.",
            base="",
            heads={},
            dims={
                **NO_WORDS,
                "colours": "num_channels",
                "patch": "patch_size",
                "places": patches,
                "stride": "hidden_stride",
                "words": _words,
            },
            words={"qkv_bias": "qkv_bias", "mlp_bias": "mlp_bias"},
            part="vision",
            gated=True,
        )
    },
)

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "ovis2": Wrapper(
            towers=(Tower(key="vision_config", prefix="model.vision_tower."),),
            projector="visual_embeddings_table embedding words hidden",
            dims=lambda config, parts: {
                "hidden": config.number("hidden_size"),
                "words": parts["vision_config"].number("vocab_size"),
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
