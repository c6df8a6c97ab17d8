"""LLaVA and its relatives: a CLIP or SigLIP tower, two linear layers, any language model."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.families._tiles import Pair, anyres, pairs_of
from fiche.families._vision import Parts, Tower, Wrapper, grid, one_of, selected, wrappers
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor
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
    if vision.model_type == "pixtral":
        patch, side = one_of(vision, "patch_size"), one_of(vision, "image_size")
        return ImageTokens(kind="rows", patch=patch, side=side)
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


# Heights and widths that the classes set where a file names none.
_NEXT: tuple[Pair, ...] = ((336, 672), (672, 336), (672, 672), (1008, 336), (336, 1008))
_ONE_VISION: tuple[Pair, ...] = tuple(
    (384 * high, 384 * wide) for high in range(1, 7) for wide in range(1, 7)
)


def _resolutions(config: Config, otherwise: tuple[Pair, ...]) -> tuple[Pair, ...]:
    return pairs_of(config.value("image_grid_pinpoints")) or otherwise


def _tiles(config: Config, parts: Parts) -> ImageTokens | None:
    vision = parts["vision_config"]
    side = one_of(vision, "image_size")
    return anyres(floor(side / one_of(vision, "patch_size")), side, _resolutions(config, _NEXT))


def _few_tiles(config: Config, parts: Parts) -> ImageTokens | None:
    """`anyres_max_9`: as many tiles' worth of features at most."""
    vision = parts["vision_config"]
    side = one_of(vision, "image_size")
    most = config.text("vision_aspect_ratio").removeprefix("anyres_max_")
    along = floor(side / one_of(vision, "patch_size"))
    return anyres(
        along, side, _resolutions(config, _ONE_VISION), int(most) if most.isdigit() else None
    )


_TILED = replace(_LLAVA, words=_newline, images=_tiles)

MEMBER = wrappers(
    "llava",
    "LLaVA",
    "transformers 5.24 models/llava, vipllava, llava_next, llava_next_video, llava_onevision",
    {
        "llava": _LLAVA,
        "vipllava": replace(
            _LLAVA,
            words=lambda config, parts: ("norm", "bias"),
            images=lambda config, parts: grid(parts["vision_config"]),
        ),
        "llava_next": replace(_TILED, forwards=False),
        "llava_next_video": replace(_TILED, forwards=False),
        "llava_onevision": replace(_TILED, images=_few_tiles),
    },
)
