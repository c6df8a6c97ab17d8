"""Qwen2.5-Omni and Qwen3-Omni, the part that thinks: sound and images in front of a Qwen decoder.

A whole has parts that speak beside it; their tensors are not listed here, and the whole stays open.
"""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import Encoder, encoders
from fiche.families._reads import architecture_of, asked, counted, renamed, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.families._vision import (
    NO_WORDS,
    Parts,
    Tower,
    Wrapper,
    joined,
    one_of,
    part_of,
    wrappers,
)
from fiche.families.whisper import LAYER
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, ceil
from fiche.kernel.model import ImageTokens, Model, Parameters
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_NAME, _TITLE = "qwen_omni", "Qwen2.5-Omni and Qwen3-Omni"
_SOURCE = "transformers 5.24 models/qwen2_5_omni and models/qwen3_omni_moe"

_HEARD = """
conv1 convolution+ hidden mels 3
conv2 convolution+ hidden hidden 3
audio_bos_eos_token embedding 2 out
ln_post norm+ hidden
proj linear+ out hidden
"""

_AUDIO = Encoder(
    outer=_HEARD,
    layer=LAYER,
    layers="layers.*.",
    base="",
    heads={},
    dims={
        **NO_WORDS,
        "hidden": "d_model",
        "ffn": "encoder_ffn_dim",
        "heads": "encoder_attention_heads",
        "mels": "num_mel_bins",
        "out": "output_dim",
    },
    depth="encoder_layers",
    part="audio",
)

_HEARD_3 = """
conv2d1 convolution+ halved 1 3 3
conv2d{2,3} convolution+ halved halved 3 3
conv_out linear hidden halved*bands
ln_post norm+ hidden
proj1 linear+ hidden hidden
proj2 linear+ out hidden
"""


def _bands(config: Config) -> Node:
    """Bands of sound after three convolutions that halve them, rounded up."""
    once = ceil(config.number("num_mel_bins") / 2)
    return ceil(ceil(once / 2) / 2)


_SEEN_LAYER = """
norm{1,2} norm hidden
attn.{q,k,v,proj} linear+ hidden hidden
mlp.{gate,up}_proj linear+ ffn hidden
mlp.down_proj linear+ hidden ffn
"""

_SEEN = """
patch_embed.proj convolution hidden colours frames patch patch
merger.ln_q norm hidden
merger.mlp.* linear+ merged merged
merger.mlp.* linear+ out merged
"""

_SEEN_3_LAYER = """
norm{1,2} norm+ hidden
attn.qkv linear+ 3*hidden hidden
attn.proj linear+ hidden hidden
mlp.linear_fc1 linear+ ffn hidden
mlp.linear_fc2 linear+ hidden ffn
"""

_SEEN_3 = """
patch_embed.proj convolution+ hidden colours frames patch patch
pos_embed position places hidden
merger.ln_q norm+ hidden
merger.mlp.* linear+ merged merged
merger.mlp.* linear+ out merged
"""

_DEEP = """
merger_list.*.ln_q norm+ merged
merger_list.*.mlp.* linear+ merged merged
merger_list.*.mlp.* linear+ out merged
"""


def _deep(config: Config, body: Place) -> tuple[Parameters, ...]:
    """One more merger for each layer whose features enter the decoder early."""
    taken = config.listed("deepstack_visual_indexes") or []
    count = counted(config, "deepstack_visual_indexes", len(taken))
    return rows(_DEEP, body.over("", range(len(taken)), count)) if taken else ()


def _merged(config: Config) -> Node:
    side = config.number("spatial_merge_size")
    return config.number("hidden_size") * side * side


_VISION = Encoder(
    outer=_SEEN,
    layer=_SEEN_LAYER,
    layers="blocks.*.",
    base="",
    heads={},
    dims={
        **NO_WORDS,
        "heads": "num_heads",
        "colours": lambda config: config.number("in_channels", "in_chans"),
        "frames": lambda config: one_of(config, "temporal_patch_size"),
        "patch": lambda config: one_of(config, "patch_size"),
        "merged": _merged,
        "out": "out_hidden_size",
    },
    depth="depth",
    part="vision",
    gated=True,
)

_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "qwen2_5_omni_audio_encoder": _AUDIO,
        "qwen3_omni_moe_audio_encoder": replace(
            _AUDIO,
            outer=_HEARD_3,
            layer=LAYER.replace("k_proj linear hidden", "k_proj linear+ hidden"),
            dims={**_AUDIO.dims, "halved": "downsample_hidden_size", "bands": _bands, "mels": ""},
        ),
        "qwen2_5_omni_vision_encoder": _VISION,
        "qwen3_omni_moe_vision_encoder": replace(
            _VISION,
            outer=_SEEN_3,
            layer=_SEEN_3_LAYER,
            dims={**_VISION.dims, "places": "num_position_embeddings"},
            besides=_deep,
            gated=False,
        ),
    },
)


def _images(config: Config, parts: Parts) -> ImageTokens:
    vision = parts["vision_config"]
    return ImageTokens(
        kind="merged",
        patch=one_of(vision, "patch_size"),
        merge=vision.number("spatial_merge_size"),
    )


_THINKER = Wrapper(
    towers=(
        Tower(key="audio_config", prefix="model.audio_tower.", part="audio"),
        Tower(key="vision_config", prefix="model.visual."),
    ),
    images=_images,
)

_THINKERS = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {"qwen2_5_omni_thinker": _THINKER, "qwen3_omni_moe_thinker": _THINKER},
)

_WHOLES = {"qwen2_5_omni": "qwen2_5_omni_thinker", "qwen3_omni_moe": "qwen3_omni_moe_thinker"}


def _whole(config: Config, inner: Callable[[Config], Model]) -> Model:
    part = part_of(config, "thinker_config", _WHOLES[config.model_type])
    if part is None:
        return unread(config, _NAME, tell("give thinker_config: the part that thinks"))
    thinker = inner(part)
    speaks = asked(
        tell("give the tensors of the parts that speak: they are not listed here"), "tensors"
    )
    return replace(
        thinker,
        family=_NAME,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=renamed(thinker.parameters, "", "thinker."),
        storage=storage_of(config, part),
        config=config,
        open=(*thinker.open, speaks),
    )


def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    if config.model_type in _WHOLES:
        return _whole(config, inner)
    return joined(_THINKERS, _TOWERS)(config, inner)


MEMBER = Family(
    name=_NAME,
    title=_TITLE,
    source=_SOURCE,
    model_types=(*_WHOLES, *_THINKERS.model_types, *_TOWERS.model_types),
    build=_build,
)
