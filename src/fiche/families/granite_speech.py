"""Granite Speech: a Conformer, queries over windows of its frames, in front of Granite."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.families._encoder import Encoder, encoders
from fiche.families._stages import batch_norm
from fiche.families._vision import NO_WORDS, Parts, Tower, Wrapper, joined, wrappers
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, floor

_NAME, _TITLE = "granite_speech", "Granite Speech"
_SOURCE = "transformers 5.24 models/granite_speech"

_BODY = """
input_linear linear+ hidden into
out linear+ classes hidden
out_mid linear+ hidden classes
"""

_LAYER = """
ff{1,2}.pre_norm norm+ hidden
ff{1,2}.up_proj linear+ ffn hidden
ff{1,2}.down_proj linear+ hidden ffn
attn.pre_norm norm+ hidden
attn.to_q linear query hidden
attn.to_kv linear 2*query hidden
attn.to_out linear+ hidden query
attn.rel_pos_emb position 2*reach+1 head
conv.norm norm+ hidden
conv.up_conv convolution+ 2*inner hidden 1
conv.depth_conv.conv convolution inner 1 kernel
conv.down_conv convolution+ hidden inner 1
post_norm norm+ hidden
""" + batch_norm("conv.batch_norm", "inner")


def _head(config: Config) -> Node:
    if config.value("dim_head") is not None:
        return config.number("dim_head")
    return floor(config.number("hidden_dim") / config.number("num_heads"))


def _query(config: Config) -> Node:
    return config.number("num_heads") * _head(config)


_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "granite_speech_encoder": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="layers.*.",
            base="",
            heads={},
            dims={
                **NO_WORDS,
                "hidden": "hidden_dim",
                "heads": "num_heads",
                "head": _head,
                "into": "input_dim",
                "classes": "output_dim",
                "reach": "max_pos_emb",
                "kernel": "conv_kernel_size",
                "query": _query,
                "ffn": lambda config: (
                    config.number("feedforward_mult") * config.number("hidden_dim")
                ),
                "inner": lambda config: (
                    config.number("conv_expansion_factor") * config.number("hidden_dim")
                ),
            },
            depth="num_layers",
            part="audio",
        )
    },
)


def _dims(config: Config, parts: Parts) -> Mapping[str, Node]:
    window, rate = config.number("window_size"), config.number("downsample_rate")
    return {
        "hidden": parts["text_config"].number("hidden_size"),
        "narrow": parts["projector_config"].number("hidden_size"),
        "queries": floor(window / rate),
    }


_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "granite_speech": Wrapper(
            towers=(
                Tower(key="encoder_config", prefix="model.encoder.", part="audio"),
                Tower(key="projector_config", prefix="model.projector.qformer.", part="projector"),
            ),
            projector="""
projector.query =embedding 1 queries narrow
projector.linear linear+ hidden narrow
""",
            dims=_dims,
            joins=True,
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
