"""Mistral 3 and Pixtral: a tower with rotary positions for images of any shape, in front of Mistral."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._vision import NO_WORDS, Tower, Wrapper, joined, one_of, selected, wrappers
from fiche.kernel.doors import Family
from fiche.kernel.model import ImageTokens

_LAYER = """
attention_norm norm hidden
attention.{q,k,v,o}_proj linear hidden hidden
feed_forward.{gate,up}_proj linear ffn hidden
feed_forward.down_proj linear hidden ffn
ffn_norm norm hidden
"""

_BODY = """
patch_conv convolution hidden colours patch patch
ln_pre norm hidden
"""

_PROJECTOR = """
multi_modal_projector.norm norm vision
multi_modal_projector.patch_merger.merging_layer linear vision vision*merge*merge
multi_modal_projector.linear_1 linear+bias hidden features
multi_modal_projector.linear_2 linear+bias hidden hidden
"""

_NAME, _TITLE = "mistral3", "Mistral 3 and Pixtral"
_SOURCE = "transformers 5.24 models/mistral3 and models/pixtral"

_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "pixtral": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="transformer.layers.*.",
            base="",
            heads={},
            dims={
                **NO_WORDS,
                "colours": "num_channels",
                "patch": lambda config: one_of(config, "patch_size"),
            },
            part="vision",
            gated=True,
        )
    },
)

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "mistral3": Wrapper(
            towers=(Tower(key="vision_config", prefix="model.vision_tower."),),
            projector=_PROJECTOR,
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "vision": parts["vision_config"].number("hidden_size"),
                "features": selected(config, parts),
                "merge": config.number("spatial_merge_size"),
            },
            words=lambda config, parts: (
                ("bias",) if config.flag("multimodal_projector_bias") else ()
            ),
            images=lambda config, parts: ImageTokens(
                kind="rows",
                patch=one_of(parts["vision_config"], "patch_size"),
                merge=config.number("spatial_merge_size"),
                side=one_of(parts["vision_config"], "image_size"),
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
