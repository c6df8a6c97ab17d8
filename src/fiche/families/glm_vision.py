"""GLM-4V and its successors: a tower that merges squares of patches, in front of a GLM decoder."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._vision import Parts, Tower, Wrapper, joined, one_of, patches, wrappers
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import ImageTokens

_BODY = """
embeddings.position_embedding position places hidden
patch_embed.proj convolution+ hidden colours frames patch patch
post_conv_layernorm norm hidden
post_layernorm norm hidden
downsample convolution+ out hidden merge merge
merger.proj linear out out
merger.post_projection_norm norm+ out
merger.{gate,up}_proj linear wide out
merger.down_proj linear out wide
"""

# The feed-forward of a layer is as wide as the output; `intermediate_size` is the merger's.
_LAYER = """
norm1 norm hidden
norm2 norm hidden
attn.qkv linear+attention_bias 3*hidden hidden
attn.proj linear hidden hidden
mlp.{gate,up}_proj linear out hidden
mlp.down_proj linear hidden out
"""

_NAME, _TITLE = "glm_vision", "GLM-4V, GLM-4.5V, GLM-4.6V"
_SOURCE = "transformers 5.24 models/glm4v, glm4v_moe, glm46v"

_TOWER = Encoder(
    outer=_BODY,
    layer=_LAYER,
    layers="blocks.*.",
    base="",
    heads={},
    dims={
        "vocabulary": "",
        "types": "",
        "positions": "",
        "heads": "num_heads",
        "ffn": "out_hidden_size",
        "wide": "intermediate_size",
        "out": "out_hidden_size",
        "colours": "in_channels",
        "frames": lambda config: one_of(config, "temporal_patch_size"),
        "patch": lambda config: one_of(config, "patch_size"),
        "merge": "spatial_merge_size",
        "places": patches,
    },
    words={"attention_bias": "attention_bias"},
    depth="depth",
    part="vision",
    gated=True,
)


def _images(config: Config, parts: Parts) -> ImageTokens:
    vision = parts["vision_config"]
    return ImageTokens(
        kind="merged",
        patch=one_of(vision, "patch_size"),
        merge=vision.number("spatial_merge_size"),
    )


_WRAPPER = Wrapper(
    towers=(Tower(key="vision_config", prefix="model.visual."),),
    images=_images,
)

_TOWERS = encoders(_NAME, _TITLE, _SOURCE, {"glm4v_vision": _TOWER, "glm4v_moe_vision": _TOWER})

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {"glm4v": _WRAPPER, "glm46v": _WRAPPER, "glm4v_moe": _WRAPPER},
)

MEMBER = Family(
    name=_NAME,
    title=_TITLE,
    source=_SOURCE,
    model_types=(*_WHOLE.model_types, *_TOWERS.model_types),
    build=joined(_WHOLE, _TOWERS),
)
