"""Aya Vision, Command A Vision and LFM2-VL: a SigLIP tower, and pixels shuffled into wider tokens."""

from __future__ import annotations

from fiche.families._tiles import tiled, told_or
from fiche.families._vision import Parts, Tower, Wrapper, one_of, wrappers
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, ceil, floor
from fiche.kernel.model import ImageTokens


def _aligned(config: Config, hidden: Node) -> Node:
    told = config.value("alignment_intermediate_size") is not None
    return config.number("alignment_intermediate_size") if told else hidden


def _tiles(config: Config, parts: Parts) -> ImageTokens:
    """Patches over a square of the factor, for each of up to twelve tiles."""
    factor = config.number("downsample_factor")
    along = floor(
        one_of(parts["vision_config"], "image_size") / one_of(parts["vision_config"], "patch_size")
    )
    # A side that the factor does not divide is padded.
    each = ceil(along / factor) * ceil(along / factor)
    return tiled(each, 12, "squares of the tower's side, in the shape nearest to the image's")


def _fitted(config: Config, parts: Parts) -> ImageTokens:
    """LFM2-VL: one image of its own size within limits, or tiles of the largest limit and an overview."""
    most = told_or(config, "max_image_tokens", 256)
    tiles = told_or(config, "max_tiles", 10)
    return ImageTokens(
        kind="tiled",
        least=told_or(config, "min_image_tokens", 64),
        most=(tiles + 1) * most,
        rule="the image's own size within limits; above them tiles by its shape, and one of the whole",
    )


_TOWER = Tower(key="vision_config", prefix="model.vision_tower.")

MEMBER = wrappers(
    "aya_vision",
    "Aya Vision, Command A Vision, LFM2-VL",
    "transformers 5.24 models/aya_vision, cohere2_vision, lfm2_vl",
    {
        "aya_vision": Wrapper(
            towers=(_TOWER,),
            projector="""
multi_modal_projector.layernorm norm+ vision*factor*factor
multi_modal_projector.linear_1 linear+ aligned vision*factor*factor
multi_modal_projector.linear_2 linear+ hidden half
""",
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "vision": parts["vision_config"].number("hidden_size"),
                "factor": config.number("downsample_factor"),
                "aligned": _aligned(config, parts["text_config"].number("hidden_size")),
                "half": floor(_aligned(config, parts["text_config"].number("hidden_size")) / 2),
            },
            images=_tiles,
        ),
        "cohere2_vision": Wrapper(
            towers=(_TOWER,),
            projector="""
multi_modal_projector.linear_1 linear+ aligned vision*factor*factor
multi_modal_projector.linear_2 linear+ hidden half
""",
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "vision": parts["vision_config"].number("hidden_size"),
                "factor": config.number("downsample_factor"),
                "aligned": config.number("alignment_intermediate_size"),
                "half": floor(config.number("alignment_intermediate_size") / 2),
            },
            images=_tiles,
        ),
        "lfm2_vl": Wrapper(
            towers=(_TOWER,),
            projector="""
?norm multi_modal_projector.layer_norm norm+ vision*factor*factor
multi_modal_projector.linear_1 linear+bias inner vision*factor*factor
multi_modal_projector.linear_2 linear+bias hidden inner
""",
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "vision": parts["vision_config"].number("hidden_size"),
                "factor": config.number("downsample_factor"),
                "inner": config.number("projector_hidden_size"),
            },
            words=lambda config, parts: (
                *(() if config.flag("projector_use_layernorm") is False else ("norm",)),
                *(() if config.flag("projector_bias") is False else ("bias",)),
            ),
            images=_fitted,
        ),
    },
)
