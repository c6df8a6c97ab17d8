"""SigLIP towers in front of a decoder through small projectors: DeepSeek-VL, PaddleOCR-VL."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._vision import (
    NO_WORDS,
    Tower,
    Wrapper,
    grid,
    joined,
    one_of,
    patches,
    wrappers,
)
from fiche.families.siglip import LAYER
from fiche.kernel.doors import Family
from fiche.kernel.model import ImageTokens

_NAME, _TITLE = "siglip_language", "DeepSeek-VL and PaddleOCR-VL"
_SOURCE = "transformers 5.24 models/deepseek_vl and models/paddleocr_vl"

_BODY = """
embeddings.patch_embedding convolution+ hidden colours patch patch
embeddings.position_embedding position places hidden
post_layernorm norm+ hidden
"""

_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "paddleocr_vl_vision": Encoder(
            outer=_BODY,
            layer=LAYER,
            layers="encoder.layers.*.",
            base="",
            heads={},
            dims={**NO_WORDS, "colours": "num_channels", "patch": "patch_size", "places": patches},
            part="vision",
        )
    },
)

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "deepseek_vl": Wrapper(
            towers=(Tower(key="vision_config", prefix="model.vision_model."),),
            projector="""
aligner.linear1 linear+ hidden vision
aligner.linear2 linear+ hidden hidden
""",
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "vision": parts["vision_config"].number("hidden_size"),
            },
            images=lambda config, parts: grid(parts["vision_config"]),
        ),
        "paddleocr_vl": Wrapper(
            towers=(Tower(key="vision_config", prefix="model.visual.vision_model."),),
            projector="""
projector.pre_norm norm+ vision
projector.linear_1 linear+ merge*merge*vision merge*merge*vision
projector.linear_2 linear+ hidden merge*merge*vision
""",
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "vision": parts["vision_config"].number("hidden_size"),
                "merge": parts["vision_config"].number("spatial_merge_size"),
            },
            images=lambda config, parts: ImageTokens(
                kind="merged",
                patch=one_of(parts["vision_config"], "patch_size"),
                merge=parts["vision_config"].number("spatial_merge_size"),
            ),
            forwards=True,
        ),
    },
)

MEMBER = Family(
    name=_NAME,
    title=_TITLE,
    source=_SOURCE,
    model_types=(*_WHOLE.model_types, *_TOWERS.model_types),
    build=joined(_WHOLE, _TOWERS),
)
