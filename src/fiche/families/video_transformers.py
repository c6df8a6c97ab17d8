"""Vision transformers of frames: VideoMAE, TimeSformer, ViViT."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._encoder import encoders
from fiche.families._reads import listed_number
from fiche.families._rows import Place, rows
from fiche.families._vision import one_of
from fiche.families._vit import BODY, CLASSES, DIMS, OLDER_LAYER, VIT, named_class, narrow_layers
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import Parameters
from fiche.kernel.record import replace

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
    if not named_class(config).endswith("ForPreTraining"):
        return ()
    outside = replace(body, prefix="").where(narrow=config.number("decoder_hidden_size"))
    return (*rows(_FRAMES, outside), *rows(OLDER_LAYER, narrow_layers(config, body)))


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
    return lambda config: listed_number(config, "tubelet_size", index)


MEMBER = encoders(
    "video_transformers",
    "VideoMAE, TimeSformer and ViViT",
    "transformers 5.24 models/videomae, timesformer, vivit",
    {
        "vivit": replace(
            VIT,
            base="vivit.",
            outer=BODY.replace("hidden colours patch patch", "hidden colours tube high high")
            + "?pooler pooler.dense linear+ pooled hidden\n",
            heads={"ForVideoClassification": CLASSES},
            dims={
                **DIMS,
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
        "videomae": replace(
            VIT,
            outer="""
embeddings.patch_embeddings.projection convolution+ hidden colours tube patch patch
!mean layernorm norm+ hidden
""",
            layer=OLDER_LAYER.replace(
                "linear+qkv_bias hidden hidden", "linear+qkv_bias hidden hidden"
            ),
            layers="encoder.layer.*.",
            base="videomae.",
            heads={
                "ForPreTraining": "",
                "ForVideoClassification": "?mean fc_norm norm+ hidden\n" + CLASSES,
            },
            dims={**DIMS, "tube": "tubelet_size"},
            words={"mean": "use_mean_pooling"},
            more=_older_bias,
            besides=_video_decoder,
        ),
        "timesformer": replace(
            VIT,
            outer=BODY + "?timed embeddings.time_embeddings =position 1 frames hidden\n",
            layer=_VIDEO_LAYER,
            layers="encoder.layer.*.",
            base="timesformer.",
            heads={"ForVideoClassification": CLASSES},
            dims={**DIMS, "frames": "num_frames"},
            more=_divided,
        ),
    },
)
