"""Gemma 3 and PaliGemma with images: a SigLIP tower in front of Gemma."""

from __future__ import annotations

from fiche.families._vision import Tower, Wrapper, grid, wrappers
from fiche.kernel.model import ImageTokens

_TOWER = Tower(key="vision_config", prefix="model.vision_tower.")

MEMBER = wrappers(
    "gemma3",
    "Gemma 3 and PaliGemma with images",
    "transformers 5.24 models/gemma3 and models/paligemma; estimators.md 2.2",
    {
        "gemma3": Wrapper(
            towers=(_TOWER,),
            projector="""
multi_modal_projector.mm_input_projection_weight =linear features hidden
multi_modal_projector.mm_soft_emb_norm norm features
""",
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "features": parts["vision_config"].number("hidden_size"),
            },
            images=lambda config, parts: ImageTokens(
                kind="fixed", tokens=config.number("mm_tokens_per_image")
            ),
        ),
        "paligemma": Wrapper(
            towers=(_TOWER,),
            projector="multi_modal_projector.linear linear+ joint features",
            dims=lambda config, parts: {
                "joint": parts["vision_config"].number("projection_dim")
                if config.value("projection_dim") is None
                else config.number("projection_dim"),
                "features": parts["vision_config"].number("hidden_size"),
            },
            images=lambda config, parts: grid(parts["vision_config"]),
        ),
    },
)
