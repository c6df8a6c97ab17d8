"""Idefics 3 and SmolVLM: a SigLIP-like tower, and pixels shuffled into wider tokens, in front of Llama."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._vision import NO_WORDS, Tower, Wrapper, joined, patches, wrappers
from fiche.kernel.doors import Family

_LAYER = """
self_attn.{q,k,v,out}_proj linear+ hidden hidden
layer_norm1 norm+ hidden
layer_norm2 norm+ hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
"""

_BODY = """
embeddings.patch_embedding convolution+ hidden colours patch patch
embeddings.position_embedding position places hidden
post_layernorm norm+ hidden
"""

_NAME, _TITLE = "idefics", "Idefics 3, SmolVLM"
_SOURCE = "transformers 5.24 models/idefics3 and models/smolvlm"

_VISION = Encoder(
    outer=_BODY,
    layer=_LAYER,
    layers="encoder.layers.*.",
    base="",
    heads={},
    dims={**NO_WORDS, "colours": "num_channels", "patch": "patch_size", "places": patches},
    part="vision",
)

_TOWER = Tower(key="vision_config", prefix="model.vision_model.")

_SHUFFLING = Wrapper(
    towers=(_TOWER,),
    projector="connector.modality_projection.proj linear hidden vision*factor*factor",
    dims=lambda config, parts: {
        "hidden": parts["text_config"].number("hidden_size"),
        "vision": parts["vision_config"].number("hidden_size"),
        "factor": config.number("scale_factor"),
    },
    text_prefix="model.text_model.",
)


_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {"idefics3_vision": _VISION, "smolvlm_vision": _VISION},
)

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {"idefics3": _SHUFFLING, "smolvlm": _SHUFFLING},
)

MEMBER = Family(
    name=_NAME,
    title=_TITLE,
    source=_SOURCE,
    model_types=(*_WHOLE.model_types, *_TOWERS.model_types),
    build=joined(_WHOLE, _TOWERS),
)
