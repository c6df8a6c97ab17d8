"""SigLIP and SigLIP 2: text and vision transformers trained pairwise, the vision side with a pooling head."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import Encoder, encoder_model, head_class, labels_of, named_or
from fiche.families._reads import architecture_of, needing, renamed, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.families._vision import NO_WORDS, grid, part_of, patches
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model
from fiche.kernel.said import tell

LAYER = """
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
head linear+ joint hidden
"""

_POOLING = """
post_layernorm norm+ hidden
?pooling head.probe =embedding 1 1 hidden
?pooling head.attention.in_proj_weight =linear 3*hidden hidden
?pooling head.attention.in_proj_bias =bias 3*hidden
?pooling head.attention.out_proj linear+ hidden hidden
?pooling head.layernorm norm+ hidden
?pooling head.mlp.fc1 linear+ ffn hidden
?pooling head.mlp.fc2 linear+ hidden ffn
"""

_PATCHES = """
embeddings.patch_embedding convolution+ hidden colours patch patch
embeddings.position_embedding position places hidden
"""

# SigLIP 2 takes patches already cut out, in any number.
_CUT = """
embeddings.patch_embedding linear+ hidden colours*patch*patch
embeddings.position_embedding position places hidden
"""

_DIMS = {**NO_WORDS, "colours": "num_channels", "patch": "patch_size"}


def _pools(config: Config) -> tuple[str, ...]:
    return () if config.flag("vision_use_head") is False else ("pooling",)


_TEXT_KIND = Encoder(
    outer=_TEXT,
    layer=LAYER,
    layers="encoder.layers.*.",
    base="text_model.",
    heads={},
    dims={"types": "", "joint": named_or("projection_size", "hidden_size")},
    pooled=(),
)

_VISION_KIND = Encoder(
    outer=_PATCHES + _POOLING,
    layer=LAYER,
    layers="encoder.layers.*.",
    base="vision_model.",
    heads={},
    dims={**_DIMS, "places": patches},
    pooled=(),
    part="vision",
    more=_pools,
)

_CUT_KIND = Encoder(
    outer=_CUT + _POOLING,
    layer=LAYER,
    layers="encoder.layers.*.",
    base="vision_model.",
    heads={},
    dims={**_DIMS, "places": "num_patches"},
    pooled=(),
    part="vision",
    more=_pools,
)

_TOWERS = {
    "siglip_text_model": _TEXT_KIND,
    "siglip2_text_model": _TEXT_KIND,
    "siglip_vision_model": _VISION_KIND,
    "siglip2_vision_model": _CUT_KIND,
}

_HEADS = {"ForImageClassification": "classifier linear+ labels hidden"}


def _both(config: Config, inner: Callable[[Config], Model]) -> Model:
    text, vision = part_of(config, "text_config"), part_of(config, "vision_config")
    if text is None or vision is None:
        return unread(config, MEMBER.name, tell("give text_config and vision_config"))
    head, doubt = head_class(config, _HEADS)
    words, images = inner(text), inner(vision)
    dims = {"hidden": vision.number("hidden_size"), "labels": labels_of(config)}
    place = Place(dims=dims, part="projector")
    seen = renamed(images.parameters, "", "vision_model.", "vision")
    parameters = (
        *renamed(words.parameters, "", "text_model.", "encoder"),
        *seen,
        *rows("logit_scale =bias 1\nlogit_bias =bias 1", place),
    )
    if head in _HEADS:
        parameters = (*seen, *rows(_HEADS[head], place))
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=parameters,
        blocks=(*words.blocks, *images.blocks),
        hidden=words.hidden,
        vocabulary=words.vocabulary,
        positions=words.positions,
        images=grid(vision) if config.model_type == "siglip" else None,
        storage=storage_of(config, text, vision),
        config=config,
        open=(*doubt, *words.open, *images.open),
    )


@needing("siglip", "num_hidden_layers")
def _tower(config: Config, inner: Callable[[Config], Model]) -> Model:
    return encoder_model(MEMBER.name, config, _TOWERS[config.model_type])


def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    return _tower(config, inner) if config.model_type in _TOWERS else _both(config, inner)


MEMBER = Family(
    name="siglip",
    title="SigLIP",
    source="transformers 5.24 models/siglip and models/siglip2",
    model_types=("siglip", "siglip2", *_TOWERS),
    build=_build,
)
