"""CLIP: a text and a vision transformer, each with a projection to a common width."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import Encoder, encoder_model, head_class, labels_of
from fiche.families._reads import architecture_of, needing, renamed, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.families._vision import NO_WORDS, grid, part_of, patches
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_LAYER = """
self_attn.{q,k,v,out}_proj linear+ hidden hidden
layer_norm1 norm+ hidden
layer_norm2 norm+ hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
"""

_TEXT = """
embeddings.token_embedding embedding vocabulary hidden
embeddings.position_embedding position positions hidden
final_layer_norm norm+ hidden
"""

_VISION = """
embeddings.class_embedding =embedding hidden
embeddings.patch_embedding convolution hidden colours patch patch
embeddings.position_embedding position places+1 hidden
pre_layrnorm norm+ hidden
post_layernorm norm+ hidden
"""

TEXT_KIND = Encoder(
    outer=_TEXT,
    layer=_LAYER,
    layers="encoder.layers.*.",
    base="text_model.",
    heads={"TextModelWithProjection": "text_projection linear joint hidden"},
    dims={"types": "", "joint": "projection_dim"},
    pooled=(),
    stored="embeddings.position_ids =buffer 1 positions",
)

VISION_KIND = Encoder(
    outer=_VISION,
    layer=_LAYER,
    layers="encoder.layers.*.",
    base="vision_model.",
    heads={"VisionModelWithProjection": "visual_projection linear joint hidden"},
    dims={
        **NO_WORDS,
        "colours": "num_channels",
        "patch": "patch_size",
        "places": patches,
        "joint": "projection_dim",
    },
    pooled=(),
    part="vision",
    stored="embeddings.position_ids =buffer 1 places+1",
)

BOTH = """
logit_scale =bias
visual_projection linear joint vision
text_projection linear joint text
"""

_HEADS = {"ForImageClassification": "classifier linear+ labels vision"}


def _both(config: Config, inner: Callable[[Config], Model]) -> Model:
    text, vision = part_of(config, "text_config"), part_of(config, "vision_config")
    if text is None or vision is None:
        return unread(config, MEMBER.name, tell("give text_config and vision_config"))
    head, doubt = head_class(config, _HEADS)
    words, images = inner(text), inner(vision)
    place = Place(
        dims={
            "joint": config.number("projection_dim"),
            "text": text.number("hidden_size"),
            "vision": vision.number("hidden_size"),
            "labels": labels_of(config),
        },
        part="projector",
    )
    towers = (
        *renamed(words.parameters, "", "text_model.", "encoder"),
        *renamed(images.parameters, "", "vision_model.", "vision"),
        *rows(BOTH, place),
    )
    if head in _HEADS:
        towers = (
            *renamed(images.parameters, "", "vision_model.", "vision"),
            *rows(_HEADS[head], place),
        )
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=towers,
        blocks=(*words.blocks, *images.blocks),
        hidden=words.hidden,
        vocabulary=words.vocabulary,
        positions=words.positions,
        images=grid(vision),
        storage=storage_of(config, text, vision),
        config=config,
        open=(*doubt, *words.open, *images.open),
    )


@needing("clip", "num_hidden_layers")
def _tower(config: Config, inner: Callable[[Config], Model]) -> Model:
    kind = TEXT_KIND if config.model_type == "clip_text_model" else VISION_KIND
    return encoder_model(MEMBER.name, config, kind)


def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    named = architecture_of(config)
    for end, part, kind in (
        ("Text", "text_config", "clip_text_model"),
        ("Vision", "vision_config", "clip_vision_model"),
    ):
        # A tower saved alone names its class, and may hold its keys at the root or in its part.
        if config.model_type == "clip" and f"CLIP{end}Model" in named and config.told(part):
            alone = part_of(config, part)
            if alone is not None:
                values = {**alone.values, "architectures": [named], "model_type": kind}
                return _tower(replace(alone, values=values), inner)
    return _both(config, inner) if config.model_type == "clip" else _tower(config, inner)


MEMBER = Family(
    name="clip",
    title="CLIP",
    source="transformers 5.24 models/clip",
    model_types=("clip", "clip_text_model", "clip_vision_model"),
    build=_build,
)
