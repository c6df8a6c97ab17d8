"""Vision transformers of other trainings: BEiT, masked autoencoders, frames of a video, tokens that detect."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.families._encoder import Encoder, encoders
from fiche.families._reads import MOST_LAYERS
from fiche.families._rows import Place, rows
from fiche.families._vision import NO_WORDS, one_of, patches
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import Parameters
from fiche.kernel.record import replace

_LAYER = """
attention.{q,k,v}_proj linear+qkv_bias hidden hidden
attention.o_proj linear+ hidden hidden
layernorm_{before,after} norm+ hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
"""

# The library's older names for the same.
_OLDER_LAYER = """
attention.attention.{query,value} linear+qkv_bias hidden hidden
?key_bias attention.attention.key linear+ hidden hidden
!key_bias attention.attention.key linear hidden hidden
attention.output.dense linear+ hidden hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
layernorm_{before,after} norm+ hidden
"""

_BODY = """
embeddings.cls_token =embedding 1 1 hidden
embeddings.position_embeddings =position 1 places+1 hidden
embeddings.patch_embeddings.projection convolution+ hidden colours patch patch
layernorm norm+ hidden
"""

_CLASSES = "classifier linear+ labels hidden"

_DIMS: Mapping[str, str | Callable[[Config], Node]] = {
    **NO_WORDS,
    "colours": "num_channels",
    "patch": lambda config: one_of(config, "patch_size"),
    "places": patches,
}

_VIT = Encoder(
    outer=_BODY,
    layer=_LAYER,
    layers="layers.*.",
    base="vit.",
    heads={"ForImageClassification": _CLASSES},
    dims=_DIMS,
    words={"qkv_bias": "qkv_bias"},
    part="vision",
)

_DECODER = """
decoder.mask_token =embedding 1 1 narrow
decoder.decoder_pos_embed =position 1 places+1 narrow
decoder.decoder_embed linear+ narrow hidden
decoder.decoder_norm norm+ narrow
decoder.decoder_pred linear+ patch*patch*colours narrow
"""


def _named(config: Config) -> str:
    return str((config.listed("architectures") or [""])[0])


def _narrow(config: Config, body: Place) -> Place:
    """The place of a decoder's layers, which only pretraining has."""
    depth = min(config.whole("decoder_num_hidden_layers") or 0, MOST_LAYERS)
    hidden, ffn = config.number("decoder_hidden_size"), config.number("decoder_intermediate_size")
    outside = replace(body, prefix="").where(hidden=hidden, ffn=ffn, narrow=hidden)
    count = config.number("decoder_num_hidden_layers")
    return outside.over("decoder.decoder_layers.*.", range(depth), count)


def _masked_decoder(config: Config, body: Place) -> tuple[Parameters, ...]:
    if not _named(config).endswith("ForPreTraining"):
        return ()
    outside = replace(body, prefix="").where(narrow=config.number("decoder_hidden_size"))
    return (*rows(_DECODER, outside), *rows(_LAYER, _narrow(config, body)))


_FRAMES = """
mask_token =embedding 1 1 narrow
encoder_to_decoder linear narrow hidden
decoder.norm norm+ narrow
decoder.head linear+ tube*patch*patch*colours narrow
"""


def _older_bias(config: Config) -> tuple[str, ...]:
    """Files say `qkv_bias`, the class `qv_bias`: keys have none."""
    return ("qkv_bias",) if config.flag("qkv_bias", "qv_bias") is not False else ()


def _video_decoder(config: Config, body: Place) -> tuple[Parameters, ...]:
    if not _named(config).endswith("ForPreTraining"):
        return ()
    outside = replace(body, prefix="").where(narrow=config.number("decoder_hidden_size"))
    return (*rows(_FRAMES, outside), *rows(_OLDER_LAYER, _narrow(config, body)))


_BEIT_BODY = """
embeddings.cls_token =embedding 1 1 hidden
?masked embeddings.mask_token =embedding 1 1 hidden
?absolute embeddings.position_embeddings =position 1 places+1 hidden
embeddings.patch_embeddings.projection convolution+ hidden colours patch patch
?mean pooler.layernorm norm+ hidden
!mean !outside layernorm norm+ hidden
"""

_BEIT_LAYER = """
?scaled lambda_{1,2} =norm hidden
attention.{q,v,o}_proj linear+ hidden hidden
attention.k_proj linear hidden hidden
layernorm_{before,after} norm+ hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
?relative relative_position_bias.relative_position_bias_table =position distances heads
"""

_OLDER_BEIT_LAYER = """
?scaled lambda_{1,2} =norm hidden
attention.attention.{query,value} linear+ hidden hidden
attention.attention.key linear hidden hidden
attention.output.dense linear+ hidden hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
layernorm_{before,after} norm+ hidden
?relative attention.attention.relative_position_bias.relative_position_bias_table =position distances heads
"""


def _distances(config: Config) -> Node:
    """Each offset of two patches in a window of the whole image, and three to and from the class."""
    along = 2 * floor(one_of(config, "image_size") / one_of(config, "patch_size")) - 1
    return along * along + 3


def _beit_words(config: Config) -> tuple[str, ...]:
    """Features are the mean of the patches, save where a head predicts them or the configuration says no."""
    told = config.value("layer_scale_init_value")
    named = _named(config)
    words = [] if told == 0 and told is not None else ["scaled"]
    if named.endswith("ForMaskedImageModeling"):
        return (*words, "outside")
    if config.flag("use_mean_pooling") is False:
        return tuple(words)
    bare = config.model_type == "data2vec-vision" and named.endswith("Model")
    return (*words, "outside" if bare else "mean")


def _shared_bias(config: Config) -> tuple[str, ...]:
    found = []
    if config.flag("use_shared_relative_position_bias"):
        found.append("a bias of position that layers share is not understood: give the tensors")
    return tuple(found)


_BEIT = replace(
    _VIT,
    outer=_BEIT_BODY,
    layer=_BEIT_LAYER,
    base="beit.",
    heads={
        "ForImageClassification": _CLASSES,
        "ForMaskedImageModeling": "lm_head linear+ vocabulary hidden\nlayernorm norm+ hidden",
    },
    dims={**_DIMS, "vocabulary": "vocab_size", "distances": _distances},
    words={
        "masked": "use_mask_token",
        "absolute": "use_absolute_position_embeddings",
        "relative": "use_relative_position_bias",
    },
    more=_beit_words,
    doubts=_shared_bias,
)

_VIDEO_LAYER = """
attention.attention.qkv linear+qkv_bias 3*hidden hidden
attention.output.dense linear+ hidden hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
layernorm_{before,after} norm+ hidden
?divided temporal_layernorm norm+ hidden
?divided temporal_attention.attention.qkv linear+qkv_bias 3*hidden hidden
?divided temporal_attention.output.dense linear+ hidden hidden
?divided temporal_dense linear+ hidden hidden
"""


def _divided(config: Config) -> tuple[str, ...]:
    kind = config.text("attention_type")
    return (
        *(["timed"] if kind != "space_only" else []),
        *(["divided"] if kind == "divided_space_time" else []),
    )


def _tubes(config: Config) -> Node:
    """Tubes of patches over some frames."""
    tube = config.listed("tubelet_size") or []
    plain = [each for each in tube if type(each) is int]
    if len(plain) != 3 or plain[1] != plain[2]:
        return config.number("tubelet_size")
    side, frames = one_of(config, "image_size"), config.number("num_frames")
    along = floor(side / plain[1]) if plain[1] else side
    return floor(frames / plain[0]) * along * along if plain[0] else frames


def _tube(index: int) -> Callable[[Config], Node]:
    from fiche.families._reads import listed_number

    return lambda config: listed_number(config, "tubelet_size", index)


def _pair(config: Config) -> Node:
    """Patches of an image of two sides."""
    from fiche.families._reads import listed_number

    patch = one_of(config, "patch_size")
    if config.listed("image_size") is None:
        return patches(config)
    high, wide = (listed_number(config, "image_size", index) for index in (0, 1))
    return floor(high / patch) * floor(wide / patch)


_BOXES = """
class_labels_classifier.layers.* linear+@2 hidden hidden
class_labels_classifier.layers.* linear+ labels+1 hidden
bbox_predictor.layers.* linear+@2 hidden hidden
bbox_predictor.layers.* linear+ 4 hidden
"""

_YOLOS_BODY = """
embeddings.cls_token =embedding 1 1 hidden
embeddings.detection_tokens =embedding 1 detections hidden
embeddings.position_embeddings =position 1 places+detections+1 hidden
embeddings.patch_embeddings.projection convolution+ hidden colours patch patch
?middle encoder.interpolation.mid_position_embeddings =position between 1 places+detections+1 hidden
layernorm norm+ hidden
?pooler pooler.dense linear+ hidden hidden
"""


def _middle(config: Config) -> tuple[str, ...]:
    several = (config.whole("num_hidden_layers") or 0) > 1
    return ("middle",) if several and config.flag("use_mid_position_embeddings") else ()


MEMBER = encoders(
    "vit_variants",
    "Vision transformers of other trainings",
    "transformers 5.24 models/beit, data2vec, vit_mae, vit_msn, ijepa, videomae, timesformer, vivit, yolos",
    {
        "vit_mae": replace(_VIT, heads={"ForPreTraining": ""}, besides=_masked_decoder, dims=_DIMS),
        "vit_msn": _VIT,
        "ijepa": replace(
            _VIT,
            base="ijepa.",
            outer=_BODY.replace("embeddings.cls_token =embedding 1 1 hidden\n", "").replace(
                "places+1", "places"
            ),
        ),
        "vivit": replace(
            _VIT,
            base="vivit.",
            outer=_BODY.replace("hidden colours patch patch", "hidden colours tube high high")
            + "?pooler pooler.dense linear+ pooled hidden\n",
            heads={"ForVideoClassification": _CLASSES},
            dims={
                **_DIMS,
                "places": _tubes,
                "tube": _tube(0),
                "high": _tube(1),
                "pooled": lambda config: config.number(
                    "hidden_size"
                    if config.value("pooler_output_size") is None
                    else "pooler_output_size"
                ),
            },
        ),
        "beit": _BEIT,
        "data2vec-vision": replace(
            _BEIT,
            layer=_OLDER_BEIT_LAYER,
            layers="encoder.layer.*.",
            base="data2vec_vision.",
            heads={"ForImageClassification": _CLASSES},
        ),
        "videomae": replace(
            _VIT,
            outer="""
embeddings.patch_embeddings.projection convolution+ hidden colours tube patch patch
!mean layernorm norm+ hidden
""",
            layer=_OLDER_LAYER.replace(
                "linear+qkv_bias hidden hidden", "linear+qkv_bias hidden hidden"
            ),
            layers="encoder.layer.*.",
            base="videomae.",
            heads={
                "ForPreTraining": "",
                "ForVideoClassification": "?mean fc_norm norm+ hidden\n" + _CLASSES,
            },
            dims={**_DIMS, "tube": "tubelet_size"},
            words={"mean": "use_mean_pooling"},
            more=_older_bias,
            besides=_video_decoder,
        ),
        "timesformer": replace(
            _VIT,
            outer=_BODY + "?timed embeddings.time_embeddings =position 1 frames hidden\n",
            layer=_VIDEO_LAYER,
            layers="encoder.layer.*.",
            base="timesformer.",
            heads={"ForVideoClassification": _CLASSES},
            dims={**_DIMS, "frames": "num_frames"},
            more=_divided,
        ),
        "yolos": replace(
            _VIT,
            outer=_YOLOS_BODY,
            layer=_OLDER_LAYER.replace("?key_bias", "?qkv_bias").replace("!key_bias", "!qkv_bias"),
            layers="encoder.layer.*.",
            heads={"ForObjectDetection": _BOXES},
            dims={
                **_DIMS,
                "detections": "num_detection_tokens",
                "places": _pair,
                "between": lambda config: config.number("num_hidden_layers") - 1,
            },
            more=_middle,
        ),
    },
)
