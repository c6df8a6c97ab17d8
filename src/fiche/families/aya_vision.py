"""Aya Vision: a SigLIP tower, pixels shuffled into wider tokens, a gated projector, in front of Cohere 2."""

from __future__ import annotations

from fiche.families._vision import Tower, Wrapper, wrappers
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor


def _aligned(config: Config, hidden: Node) -> Node:
    told = config.value("alignment_intermediate_size") is not None
    return config.number("alignment_intermediate_size") if told else hidden


MEMBER = wrappers(
    "aya_vision",
    "Aya Vision",
    "transformers 5.24 models/aya_vision",
    {
        "aya_vision": Wrapper(
            towers=(Tower(key="vision_config", prefix="model.vision_tower."),),
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
        )
    },
)
