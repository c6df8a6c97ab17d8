"""Llama 4 with images: a tower with a pixel-shuffling adapter, in front of the Llama 4 decoder."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._tiles import tiled
from fiche.families._vision import NO_WORDS, Parts, Tower, Wrapper, joined, patches, wrappers
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import floor
from fiche.kernel.model import ImageTokens

_BODY = """
class_embedding =embedding hidden
positional_embedding_vlm =position places+1 hidden
patch_embedding.linear linear hidden colours*patch*patch
layernorm_pre norm+ hidden
layernorm_post norm+ hidden
vision_adapter.mlp.fc1 linear adapted shuffled
vision_adapter.mlp.fc2 linear out out
"""

_LAYER = """
self_attn.{q,k,v,o}_proj linear+ hidden hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
input_layernorm norm+ hidden
post_attention_layernorm norm+ hidden
"""

_NAME, _TITLE = "llama4_vision", "Llama 4 with images"
_SOURCE = "transformers 5.24 models/llama4"


def _tiles(config: Config, parts: Parts) -> ImageTokens | None:
    """Patches over a square of the shuffle's ratio, for each tile."""
    vision = parts["vision_config"]
    ratio = vision.value("pixel_shuffle_ratio")
    if isinstance(ratio, bool | str | list | dict) or not ratio:
        return None
    each = floor(patches(vision) * (ratio * ratio))
    return tiled(each, 16, "squares of the tower's side that the image fits best (max_patches)")


_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "llama4_vision_model": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="model.layers.*.",
            base="",
            heads={},
            dims={
                **NO_WORDS,
                "colours": "num_channels",
                "patch": "patch_size",
                "places": patches,
                "shuffled": "intermediate_size",
                "adapted": "projector_input_dim",
                "out": "projector_output_dim",
            },
            part="vision",
        )
    },
)

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "llama4": Wrapper(
            towers=(Tower(key="vision_config", prefix="vision_model."),),
            projector="multi_modal_projector.linear_1 linear hidden features",
            projected="",
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "features": parts["vision_config"].number("vision_output_dim"),
            },
            text_prefix="language_model.",
            whole=True,
            images=_tiles,
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
