"""InternVL by the code beside its files: InternViT, pixels shuffled into wider tokens, in front of any decoder.

A key that is missing is asked for: no class known here has a default for it.
"""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import Encoder, encoder_model
from fiche.families._reads import architecture_of, asked, needing, renamed, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.families._tiles import tiled
from fiche.families._vision import NO_WORDS, patches
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import ImageTokens, Model
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_BODY = """
embeddings.class_embedding =embedding 1 1 hidden
embeddings.position_embedding =position 1 places+1 hidden
embeddings.patch_embedding convolution+ hidden colours patch patch
"""

_LAYER = """
attn.qkv linear+qkv_bias 3*hidden hidden
attn.proj linear+ hidden hidden
?normed attn.{q,k}_norm norm hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
norm{1,2} norm+norm_bias hidden
ls{1,2} =norm hidden
"""


def _norm_bias(config: Config) -> tuple[str, ...]:
    return () if config.text("norm_type") == "rms_norm" else ("norm_bias",)


_TOWER = Encoder(
    outer=_BODY,
    layer=_LAYER,
    layers="encoder.layers.*.",
    base="",
    heads={"InternVisionModel": ""},
    dims={**NO_WORDS, "colours": "num_channels", "patch": "patch_size", "places": patches},
    words={"qkv_bias": "qkv_bias", "normed": "qk_normalization"},
    more=_norm_bias,
    part="vision",
)

_VISION_KEYS = (
    *("hidden_size", "intermediate_size", "num_attention_heads", "image_size", "patch_size"),
    *("num_channels", "qkv_bias", "qk_normalization", "norm_type"),
)
_WHOLE_KEYS = ("downsample_ratio",)

# `mlp1` is a norm, a linear layer, an activation and a linear layer.
_PROJECTOR = """
mlp1.* norm+ shuffled
mlp1.* linear+ hidden shuffled
mlp1.* linear+ hidden hidden
"""


def _shuffled(config: Config, width: Node) -> Node:
    ratio = config.value("downsample_ratio")
    if isinstance(ratio, bool | str | list | dict) or not ratio:
        return config.number("downsample_ratio")
    return floor(width / (ratio * ratio))


def _images(config: Config, vision: Config) -> ImageTokens | None:
    """Patches over the square of the ratio a tile, and as many tiles as the file allows."""
    ratio = config.value("downsample_ratio")
    if isinstance(ratio, bool | str | list | dict) or not ratio:
        return None
    side = config if config.told("force_image_size") else vision
    key = "force_image_size" if config.told("force_image_size") else "image_size"
    along = floor(side.number(key) / vision.number("patch_size"))
    each = floor(along * along * (ratio * ratio))
    rule = "squares of one side in the shape nearest to the image's (dynamic_image_size)"
    whole = config.flag("use_thumbnail") is not False
    return tiled(each, config.number("max_dynamic_patch"), rule, overview=whole)


@needing("internvl_chat", "num_hidden_layers")
def _tower(config: Config, inner: Callable[[Config], Model]) -> Model:
    found = encoder_model(MEMBER.name, config, _TOWER)
    absent = [key for key in _VISION_KEYS if not config.told(key)]
    return replace(found, open=(*found.open, *map(_missing, absent)))


def _missing(key: str) -> Condition:
    return asked(tell("give {key}: no class known here has a default for it", key=key))


def _whole(config: Config, inner: Callable[[Config], Model]) -> Model:
    vision, text = (
        config.part("vision_config", model_type="intern_vit_6b"),
        config.part("llm_config"),
    )
    if vision is None or text is None:
        return unread(config, MEMBER.name, tell("give vision_config and llm_config"))
    seen, language = inner(vision), inner(text)
    hidden = text.number("hidden_size") if language.hidden is None else language.hidden
    dims = {"hidden": hidden, "shuffled": _shuffled(config, vision.number("hidden_size"))}
    absent = [key for key in _WHOLE_KEYS if not config.told(key)]
    return Model(
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *renamed(seen.parameters, "", "vision_model.", "vision"),
            *rows(_PROJECTOR, Place(dims=dims, part="projector")),
            *renamed(language.parameters, "", "language_model."),
        ),
        caches=language.caches,
        blocks=language.blocks,
        tied=language.tied,
        hidden=language.hidden,
        vocabulary=language.vocabulary,
        positions=language.positions,
        images=_images(config, vision),
        storage=storage_of(config, text),
        config=config,
        open=tuple(dict.fromkeys((*seen.open, *language.open, *map(_missing, absent)))),
        notes=language.notes,
    )


def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    return (_tower if config.model_type == "intern_vit_6b" else _whole)(config, inner)


MEMBER = Family(
    name="internvl_chat",
    title="InternVL by the code beside its files",
    source="vLLM's model file intern_vit; configuration and count published with InternVL2-8B",
    model_types=("internvl_chat", "intern_vit_6b"),
    build=_build,
)
