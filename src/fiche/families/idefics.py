"""Idefics 2 and 3, SmolVLM: a SigLIP-like tower in front of Mistral or Llama.

Idefics 2 resamples an image to a fixed number of tokens, the others shuffle pixels into wider ones.
"""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._reads import MOST_LAYERS
from fiche.families._rows import Place, rows
from fiche.families._tiles import tiled
from fiche.families._vision import (
    NO_WORDS,
    Parts,
    Tower,
    Wrapper,
    joined,
    part_of,
    patches,
    wrappers,
)
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import floor
from fiche.kernel.model import ImageTokens, Parameters

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

_NAME, _TITLE = "idefics", "Idefics 2 and 3, SmolVLM"
_SOURCE = "transformers 5.24 models/idefics2, idefics3, smolvlm"

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
    images=lambda config, parts: _shuffled_tiles(config, parts),
)


def _shuffled_tiles(config: Config, parts: Parts) -> ImageTokens:
    """Up to four tiles along each side, each as many tokens as its patches over a square of the factor."""
    factor = config.number("scale_factor")
    each = floor(patches(parts["vision_config"]) / (factor * factor))
    return tiled(each, 16, "the longest side is four tiles at most (size, max_image_size)")


def _resampled_tiles(config: Config, parts: Parts) -> ImageTokens | None:
    perceiver = part_of(config, "perceiver_config")
    if perceiver is None:
        return None
    each = perceiver.number("resampler_n_latents")
    return tiled(each, 4, "quarters where the processor splits images (do_image_splitting)")


_CONNECTOR = """
modality_projection.{gate,up}_proj linear ffn vision
modality_projection.down_proj linear hidden ffn
perceiver_resampler.latents =embedding latents hidden
perceiver_resampler.norm norm hidden
"""

_RESAMPLER = """
input_latents_norm norm hidden
input_context_norm norm hidden
post_attention_layernorm norm hidden
self_attn.q_proj linear heads*head hidden
self_attn.{k,v}_proj linear kv_heads*head hidden
self_attn.o_proj linear hidden heads*head
mlp.{gate,up}_proj linear 4*hidden hidden
mlp.down_proj linear hidden 4*hidden
"""


def _resampled(config: Config, parts: Parts) -> tuple[Parameters, ...]:
    """The projector of Idefics 2, at the width of the language part, and the layers that resample."""
    text, vision = parts["text_config"], parts["vision_config"]
    perceiver = part_of(config, "perceiver_config")
    if perceiver is None:
        return ()
    dims = {
        "hidden": text.number("hidden_size"),
        "ffn": text.number("intermediate_size"),
        "vision": vision.number("hidden_size"),
        "latents": perceiver.number("resampler_n_latents"),
        "heads": perceiver.number("resampler_n_heads"),
        "head": perceiver.number("resampler_head_dim"),
        "kv_heads": perceiver.number("num_key_value_heads"),
    }
    place = Place(dims=dims, prefix="model.connector.", part="projector")
    depth = perceiver.whole("resampler_depth") or 0
    layer = place.over(
        "perceiver_resampler.layers.*.",
        range(min(depth, MOST_LAYERS)),
        perceiver.number("resampler_depth"),
    )
    return (*rows(_CONNECTOR, place), *rows(_RESAMPLER, layer))


_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {"idefics2_vision": _VISION, "idefics3_vision": _VISION, "smolvlm_vision": _VISION},
)

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "idefics2": Wrapper(
            towers=(_TOWER,),
            besides=_resampled,
            text_prefix="model.text_model.",
            images=_resampled_tiles,
        ),
        "idefics3": _SHUFFLING,
        "smolvlm": _SHUFFLING,
    },
)

MEMBER = Family(
    name=_NAME,
    title=_TITLE,
    source=_SOURCE,
    model_types=(*_WHOLE.model_types, *_TOWERS.model_types),
    build=joined(_WHOLE, _TOWERS),
)
