"""BLIP-2 and InstructBLIP: queries that read an image, between a tower and a language model of any kind."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.families._encoder import Encoder, encoders
from fiche.families._reads import MOST_LAYERS, counted
from fiche.families._rows import Place, rows
from fiche.families._vision import NO_WORDS, Parts, Tower, Wrapper, joined, patches, wrappers
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node
from fiche.kernel.model import ImageTokens, Parameters
from fiche.kernel.record import replace

_NAME, _TITLE = "blip2", "BLIP-2 and InstructBLIP"
_SOURCE = "transformers 5.24 models/blip_2, instructblip, instructblipvideo"

_SEEN = """
embeddings.class_embedding =embedding 1 1 hidden
embeddings.position_embedding =position 1 places+1 hidden
embeddings.patch_embedding convolution+ hidden 3 patch patch
post_layernorm norm+ hidden
"""

_SEEN_LAYER = """
self_attn.qkv linear+qkv_bias 3*hidden hidden
self_attn.projection linear+ hidden hidden
layer_norm{1,2} norm+ hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
"""

_VISION = Encoder(
    outer=_SEEN,
    layer=_SEEN_LAYER,
    layers="encoder.layers.*.",
    base="",
    heads={},
    dims={**NO_WORDS, "patch": "patch_size", "places": patches},
    words={"qkv_bias": "qkv_bias"},
    part="vision",
)

_QUERY_LAYER = """
attention.attention.{query,key,value} linear+ hidden hidden
attention.output.dense linear+ hidden hidden
attention.output.LayerNorm norm+ hidden
?told intermediate.dense linear+ ffn hidden
?told output.dense linear+ hidden ffn
?told output.LayerNorm norm+ hidden
intermediate_query.dense linear+ ffn hidden
output_query.dense linear+ hidden ffn
output_query.LayerNorm norm+ hidden
"""

_CROSS = """
crossattention.attention.query linear+ hidden hidden
crossattention.attention.{key,value} linear+ hidden seen
crossattention.output.dense linear+ hidden hidden
crossattention.output.LayerNorm norm+ hidden
"""


def _crossed(config: Config, body: Place) -> tuple[Parameters, ...]:
    """Each layer that a step divides, from the first on, looks at the image."""
    step = config.whole("cross_attention_frequency") or 0
    depth = min(config.whole("num_hidden_layers") or 0, MOST_LAYERS)
    layers = [index for index in range(depth) if step and index % step == 0]
    count = counted(config, "cross_attention_frequency", len(layers))
    return rows(_CROSS, body.over("encoder.layer.*.", layers, count))


_QUERIES = Encoder(
    outer="layernorm norm+ hidden",
    layer=_QUERY_LAYER,
    layers="encoder.layer.*.",
    base="",
    heads={},
    dims={**NO_WORDS, "seen": "encoder_hidden_size"},
    besides=_crossed,
    part="projector",
)

_TOLD_QUERIES = replace(
    _QUERIES,
    outer="""
embeddings.word_embeddings embedding vocabulary hidden
embeddings.position_embeddings position positions hidden
embeddings.layernorm norm+ hidden
""",
    dims={"types": "", "seen": "encoder_hidden_size"},
    more=lambda config: ("told",),
)

_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "blip_2_vision_model": _VISION,
        "instructblip_vision_model": _VISION,
        "instructblipvideo_vision_model": _VISION,
        "blip_2_qformer": _QUERIES,
        "instructblip_qformer": _TOLD_QUERIES,
        "instructblipvideo_qformer": _TOLD_QUERIES,
    },
)


def _dims(config: Config, parts: Parts) -> Mapping[str, Node]:
    text = parts["text_config"]
    return {
        "queries": config.number("num_query_tokens"),
        "narrow": parts["qformer_config"].number("hidden_size"),
        "hidden": text.number("hidden_size", "d_model"),
    }


_WHOLE_KIND = Wrapper(
    towers=(
        Tower(key="vision_config", prefix="vision_model."),
        Tower(key="qformer_config", prefix="qformer.", part="projector"),
    ),
    projector="""
query_tokens =embedding 1 queries narrow
language_projection linear+ hidden narrow
""",
    projected="",
    joins=True,
    dims=_dims,
    text_prefix="language_model.",
    whole=True,
    images=lambda config, parts: ImageTokens(
        kind="fixed", tokens=config.number("num_query_tokens")
    ),
    classes={"t5": "T5ForConditionalGeneration"},
)

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {"blip-2": _WHOLE_KIND, "instructblip": _WHOLE_KIND, "instructblipvideo": _WHOLE_KIND},
)

MEMBER = Family(
    name=_NAME,
    title=_TITLE,
    source=_SOURCE,
    model_types=(*_WHOLE.model_types, *_TOWERS.model_types),
    build=joined(_WHOLE, _TOWERS),
)
