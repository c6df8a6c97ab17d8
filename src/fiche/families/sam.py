"""Segment Anything and GOT-OCR 2: a tower with windows and learned distances; prompts and masks, or a decoder.

The class of SAM takes three configurations, of which the tower's is by far the largest.
"""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import Encoder, encoders
from fiche.families._reads import (
    MOST_LAYERS,
    architecture_of,
    counted,
    renamed,
    storage_of,
    unread,
)
from fiche.families._rows import Place, rows
from fiche.families._state import expanded
from fiche.families._vision import NO_WORDS, Tower, Wrapper, joined, part_of, wrappers
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, floor, larger
from fiche.kernel.model import Model, Parameters
from fiche.kernel.said import tell

_NAME, _TITLE = "sam", "Segment Anything and GOT-OCR 2"
_SOURCE = "transformers 5.24 models/sam and models/got_ocr2"

_BODY = """
?absolute pos_embed =position 1 along along hidden
patch_embed.projection convolution+ hidden colours patch patch
neck.conv1 convolution out hidden 1 1
neck.layer_norm1 norm+ out
neck.conv2 convolution out out 3 3
neck.layer_norm2 norm+ out
"""

_LAYER = """
layer_norm{1,2} norm+ hidden
attn.qkv linear+qkv_bias 3*hidden hidden
attn.proj linear+ hidden hidden
mlp.lin1 linear+ ffn hidden
mlp.lin2 linear+ hidden ffn
"""


def _along(config: Config) -> Node:
    return floor(config.number("image_size") / config.number("patch_size"))


def _wide(config: Config) -> Node:
    """The feed-forward's own width, else a multiple of the layer's."""
    if config.value("mlp_dim") is not None:
        return config.number("mlp_dim")
    return expanded(config, "mlp_ratio", config.number("hidden_size"))


def _distances(config: Config, body: Place) -> tuple[Parameters, ...]:
    """Learned distances along each side: of the whole image in some layers, of a window in the others."""
    if not config.flag("use_rel_pos"):
        return ()
    depth = min(config.whole("num_hidden_layers") or 0, MOST_LAYERS)
    told = config.listed("global_attn_indexes") or []
    whole = [index for index in range(depth) if index in told]
    some = [index for index in range(depth) if index not in told]
    found: list[Parameters] = []
    for layers, side in ((whole, _along(config)), (some, config.number("window_size"))):
        count = counted(config, "global_attn_indexes", len(layers))
        place = body.over("layers.*.attn.", layers, count).where(reach=larger(0, 2 * side - 1))
        found += rows("rel_pos_{h,w} =position reach head", place)
    return tuple(found)


_TOWER = Encoder(
    outer=_BODY,
    layer=_LAYER,
    layers="layers.*.",
    base="vision_encoder.",
    heads={},
    dims={
        **NO_WORDS,
        "colours": "num_channels",
        "patch": "patch_size",
        "along": _along,
        "out": "output_channels",
        "ffn": _wide,
    },
    words={"qkv_bias": "qkv_bias", "absolute": "use_abs_pos"},
    besides=_distances,
    part="vision",
)

_TOWERS = encoders(_NAME, _TITLE, _SOURCE, {"sam_vision_model": _TOWER, "got_ocr2_vision": _TOWER})

_PROMPTS = """
mask_embed.conv1 convolution+ fewer 1 2 2
mask_embed.conv2 convolution+ masks fewer 2 2
mask_embed.conv3 convolution+ hidden masks 1 1
mask_embed.layer_norm1 norm+ fewer
mask_embed.layer_norm2 norm+ masks
no_mask_embed embedding 1 hidden
not_a_point_embed embedding 1 hidden
point_embed.* embedding@points 1 hidden
"""

_MASKS = """
iou_token embedding 1 hidden
mask_tokens embedding tokens hidden
transformer.final_attn_token_to_image.{q,k,v}_proj linear+ narrow hidden
transformer.final_attn_token_to_image.out_proj linear+ hidden narrow
transformer.layer_norm_final_attn norm+ hidden
upscale_conv1.weight =convolution hidden quarter 2 2
upscale_conv1.bias =bias quarter
upscale_conv2.weight =convolution quarter eighth 2 2
upscale_conv2.bias =bias eighth
upscale_layer_norm norm+ quarter
output_hypernetworks_mlps.*.proj_in linear+@tokens hidden hidden
output_hypernetworks_mlps.*.layers.* linear+@tokens hidden hidden
output_hypernetworks_mlps.*.proj_out linear+@tokens eighth hidden
iou_prediction_head.proj_in linear+ guess hidden
iou_prediction_head.layers.* linear+@between guess guess
iou_prediction_head.proj_out linear+ tokens guess
"""

_MASK_LAYER = """
self_attn.{q,k,v,out}_proj linear+ hidden hidden
layer_norm{1,2,3,4} norm+ hidden
cross_attn_{token_to_image,image_to_token}.{q,k,v}_proj linear+ narrow hidden
cross_attn_{token_to_image,image_to_token}.out_proj linear+ hidden narrow
mlp.lin1 linear+ ffn hidden
mlp.lin2 linear+ hidden ffn
"""


def _prompts(config: Config) -> tuple[Parameters, ...]:
    masks = config.number("mask_input_channels")
    dims = {
        "hidden": config.number("hidden_size"),
        "masks": masks,
        "fewer": floor(masks / 4),
        "points": config.number("num_point_embeddings"),
    }
    return rows(_PROMPTS, Place(dims=dims, prefix="prompt_encoder.", part="vision"))


def _masks(config: Config) -> tuple[Parameters, ...]:
    hidden = config.number("hidden_size")
    dims = {
        "hidden": hidden,
        "narrow": floor(hidden / config.number("attention_downsample_rate")),
        "quarter": floor(hidden / 4),
        "eighth": floor(hidden / 8),
        "tokens": config.number("num_multimask_outputs") + 1,
        "guess": config.number("iou_head_hidden_dim"),
        "between": larger(0, config.number("iou_head_depth") - 2),
        "ffn": config.number("mlp_dim"),
    }
    place = Place(dims=dims, prefix="mask_decoder.", part="vision")
    depth = range(min(config.whole("num_hidden_layers") or 0, MOST_LAYERS))
    layer = place.over("transformer.layers.*.", depth, config.number("num_hidden_layers"))
    return (*rows(_MASKS, place), *rows(_MASK_LAYER, layer))


def _whole(config: Config, inner: Callable[[Config], Model]) -> Model:
    vision = part_of(config, "vision_config", "sam_vision_model")
    prompts, masks = (
        part_of(config, "prompt_encoder_config"),
        part_of(config, "mask_decoder_config"),
    )
    if vision is None or prompts is None or masks is None:
        text = tell("give vision_config, prompt_encoder_config and mask_decoder_config")
        return unread(config, _NAME, text)
    seen = inner(vision)
    features = Place(dims={"features": vision.number("num_pos_feats")}, part="vision")
    return Model(
        family=_NAME,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows("shared_image_embedding.positional_embedding =position 2 features", features),
            *renamed(seen.parameters, "", "vision_encoder.", "vision"),
            *_prompts(prompts),
            *_masks(masks),
        ),
        blocks=seen.blocks,
        hidden=seen.hidden,
        storage=storage_of(config, vision),
        config=config,
        open=seen.open,
    )


_READING = wrappers(
    _NAME,
    _TITLE,
    _SOURCE,
    {
        "got_ocr2": Wrapper(
            towers=(Tower(key="vision_config", prefix="model.vision_tower."),),
            projector="""
multi_modal_projector.conv_upsampler1 convolution 2*out out 3 3
multi_modal_projector.conv_upsampler2 convolution hidden 2*out 3 3
multi_modal_projector.multimodal_projector linear+ hidden hidden
""",
            dims=lambda config, parts: {
                "hidden": parts["text_config"].number("hidden_size"),
                "out": parts["vision_config"].number("output_channels"),
            },
            forwards=True,
        )
    },
)


def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    return (
        _whole(config, inner)
        if config.model_type == "sam"
        else joined(_READING, _TOWERS)(config, inner)
    )


MEMBER = Family(
    name=_NAME,
    title=_TITLE,
    source=_SOURCE,
    model_types=("sam", *_READING.model_types, *_TOWERS.model_types),
    build=_build,
)
