"""LLaVA and its relatives: a CLIP or SigLIP tower, two linear layers, any language model."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.families._vision import Parts, Tower, Wrapper, grid, selected, wrappers
from fiche.kernel.config import Config
from fiche.kernel.figure import Node
from fiche.kernel.model import ImageTokens
from fiche.kernel.record import replace

_PROJECTOR = """
?newline image_newline =embedding hidden
?norm multi_modal_projector.projector_layernorm norm+ features
multi_modal_projector.linear_1 linear+bias hidden features
multi_modal_projector.linear_2 linear+bias hidden hidden
"""

_TOWER = Tower(key="vision_config", prefix="model.vision_tower.")


def _dims(config: Config, parts: Parts) -> Mapping[str, Node]:
    return {
        "hidden": parts["text_config"].number("hidden_size"),
        "features": selected(config, parts),
    }


def _bias(config: Config, parts: Parts) -> tuple[str, ...]:
    return () if config.flag("multimodal_projector_bias") is False else ("bias",)


def _images(config: Config, parts: Parts) -> ImageTokens:
    """One token a patch; CLIP's token for the class is dropped by the strategy `default`."""
    vision = parts["vision_config"]
    has_class = vision.model_type == "clip_vision_model"
    full = config.text("vision_feature_select_strategy") == "full"
    return grid(vision, (1 if has_class else 0) - (0 if full else 1))


_LLAVA = Wrapper(
    towers=(_TOWER,),
    projector=_PROJECTOR,
    dims=_dims,
    words=_bias,
    images=_images,
    forwards=True,
)


def _newline(config: Config, parts: Parts) -> tuple[str, ...]:
    return (*_bias(config, parts), "newline")


# Tiles and newlines: how many tokens an image is follows from its shape, and no rule of one line says it.
_TILED = replace(_LLAVA, words=_newline, images=lambda config, parts: None)

MEMBER = wrappers(
    "llava",
    "LLaVA",
    "transformers 5.24 models/llava, vipllava, llava_next, llava_next_video, llava_onevision",
    {
        "llava": _LLAVA,
        "vipllava": replace(
            _LLAVA, words=lambda config, parts: ("norm", "bias"), images=lambda config, parts: None
        ),
        "llava_next": replace(_TILED, forwards=False),
        "llava_next_video": replace(_TILED, forwards=False),
        "llava_onevision": _TILED,
    },
)
