"""Qwen's vision-language models: patches of any image, merged by squares, in front of a Qwen decoder."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import Encoder, encoders
from fiche.families._reads import counted
from fiche.families._rows import Place, rows
from fiche.families._state import expanded
from fiche.families._vision import Parts, Tower, Wrapper, joined, one_of, wrappers
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node
from fiche.kernel.model import ImageTokens, Parameters
from fiche.kernel.record import replace

_LAYER = """
norm1 norm+norm_bias hidden
norm2 norm+norm_bias hidden
attn.qkv linear+ 3*hidden hidden
attn.proj linear+ hidden hidden
?plain mlp.fc1 linear+ ffn hidden
?plain mlp.fc2 linear+ hidden ffn
?gated mlp.{gate,up}_proj linear+ ffn hidden
?gated mlp.down_proj linear+ hidden ffn
?third mlp.linear_fc1 linear+ ffn hidden
?third mlp.linear_fc2 linear+ hidden ffn
"""

_BODY = """
patch_embed.proj convolution+third hidden colours frames patch patch
?third pos_embed position places hidden
!third merger.ln_q norm+norm_bias hidden
!third merger.mlp.* linear+ merged merged
!third merger.mlp.* linear+ out merged
?third merger.norm norm+ hidden
?third merger.linear_fc1 linear+ merged merged
?third merger.linear_fc2 linear+ out merged
"""

_DEEP = """
deepstack_merger_list.*.norm norm+ merged
deepstack_merger_list.*.linear_fc1 linear+ merged merged
deepstack_merger_list.*.linear_fc2 linear+ out merged
"""


def _merged(config: Config) -> Node:
    """Width of a square of patches that become one token."""
    second = config.model_type == "qwen2_vl_vision"
    side = config.number("spatial_merge_size")
    return config.number("embed_dim" if second else "hidden_size") * side * side


def _deep(config: Config, body: Place) -> tuple[Parameters, ...]:
    """One more merger for each layer whose features enter the decoder early."""
    taken = config.listed("deepstack_visual_indexes") or []
    count = counted(config, "deepstack_visual_indexes", len(taken))
    return rows(_DEEP, body.over("", range(len(taken)), count)) if taken else ()


def _words(word: str) -> Callable[[Config], tuple[str, ...]]:
    return lambda config: (word, *([] if word == "gated" else ["norm_bias"]))


_SECOND = Encoder(
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
        "colours": lambda config: config.number("in_channels", "in_chans"),
        "frames": lambda config: one_of(config, "temporal_patch_size"),
        "patch": lambda config: one_of(config, "patch_size"),
        "merged": _merged,
        "out": "out_hidden_size",
    },
    more=_words("gated"),
    depth="depth",
    part="vision",
    gated=True,
)

_FIRST = replace(
    _SECOND,
    dims={
        **_SECOND.dims,
        "hidden": "embed_dim",
        "out": "hidden_size",
        "ffn": lambda config: expanded(config, "mlp_ratio", config.number("embed_dim")),
    },
    more=_words("plain"),
    gated=False,
)

_THIRD = replace(
    _SECOND,
    dims={**_SECOND.dims, "places": "num_position_embeddings"},
    more=_words("third"),
    gated=False,
)

_DEEP_THIRD = replace(_THIRD, besides=_deep)


def _images(config: Config, parts: Parts) -> ImageTokens:
    vision = parts["vision_config"]
    return ImageTokens(
        kind="merged",
        patch=one_of(vision, "patch_size"),
        merge=vision.number("spatial_merge_size"),
    )


_NAME = "qwen_vl"
_TITLE = "Qwen with images: Qwen2-VL, Qwen2.5-VL, Qwen3-VL, Qwen3.5"
_SOURCE = (
    "transformers 5.24 models/qwen2_vl, qwen2_5_vl, qwen3_vl, qwen3_vl_moe, qwen3_5, qwen3_5_moe;"
    " estimators.md 2.2"
)

_PLAIN = Wrapper(
    towers=(Tower(key="vision_config", prefix="model.visual."),),
    images=_images,
)

_TOWERS = encoders(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "qwen2_vl_vision": _FIRST,
        "qwen2_5_vl_vision": _SECOND,
        "qwen3_vl_vision": _DEEP_THIRD,
        "qwen3_vl_moe_vision": _DEEP_THIRD,
        "qwen3_5_vision": _THIRD,
        "qwen3_5_moe_vision": _THIRD,
    },
)

_WHOLE = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "qwen2_vl": replace(_PLAIN, forwards=True, flat="qwen2_vl_text"),
        "qwen2_5_vl": replace(_PLAIN, forwards=True, flat="qwen2_5_vl_text"),
        "qwen3_vl": _PLAIN,
        "qwen3_vl_moe": _PLAIN,
        "qwen3_5": _PLAIN,
        "qwen3_5_moe": _PLAIN,
    },
)

MEMBER = Family(
    name=_NAME,
    title=_TITLE,
    source=_SOURCE,
    model_types=(*_WHOLE.model_types, *_TOWERS.model_types),
    build=joined(_WHOLE, _TOWERS),
)
