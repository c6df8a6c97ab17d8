"""InternVL: a BEiT-like tower, pixels shuffled into wider tokens, in front of Qwen or Llama."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._tiles import tiled
from fiche.families._vision import (
    NO_WORDS,
    Parts,
    Tower,
    Wrapper,
    joined,
    one_of,
    patches,
    wrappers,
)
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, floor

_LAYER = """
lambda_{1,2} =norm hidden
attention.{q,k,v}_proj linear+attention_bias hidden hidden
attention.projection_layer linear+ hidden hidden
?qk_norm attention.{q,k}_norm norm hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
layernorm_before norm+norm_bias hidden
layernorm_after norm+norm_bias hidden
"""

_BODY = """
embeddings.cls_token =embedding 1 1 hidden
?masked embeddings.mask_token =embedding 1 1 hidden
?absolute embeddings.position_embeddings =position 1 places+1 hidden
embeddings.patch_embeddings.projection convolution+ hidden colours patch patch
!mean layernorm norm+ hidden
"""

_PROJECTOR = """
multi_modal_projector.layer_norm norm+ shuffled
multi_modal_projector.linear_1 linear+ hidden shuffled
multi_modal_projector.linear_2 linear+ hidden hidden
"""

_NAME, _TITLE = "internvl", "InternVL"
_SOURCE = "transformers 5.24 models/internvl"


def _shuffled(config: Config, parts: Parts) -> Node:
    """Width after several neighbouring tokens became one: width / ratio^2."""
    width, ratio = parts["vision_config"].number("hidden_size"), config.value("downsample_ratio")
    if isinstance(ratio, bool | str | list | dict) or not ratio:
        return config.number("downsample_ratio")
    return floor(width / (ratio * ratio))


_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "internvl_vision": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="encoder.layer.*.",
            base="",
            heads={},
            dims={
                **NO_WORDS,
                "colours": "num_channels",
                "patch": lambda config: one_of(config, "patch_size"),
                "places": patches,
            },
            words={
                "attention_bias": "attention_bias",
                "qk_norm": "use_qk_norm",
                "masked": "use_mask_token",
                "absolute": "use_absolute_position_embeddings",
                "mean": "use_mean_pooling",
            },
            more=lambda config: () if config.text("norm_type") == "rms_norm" else ("norm_bias",),
            part="vision",
        )
    },
)

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "internvl": Wrapper(
            towers=(Tower(key="vision_config", prefix="model.vision_tower."),),
            projector=_PROJECTOR,
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "shuffled": _shuffled(config, parts),
            },
            images=lambda config, parts: tiled(
                config.number("image_seq_length"),
                12,
                "squares of the tower's side in the shape nearest to the image's (max_patches)",
            ),
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
