"""Vision transformers of other trainings: BEiT, masked autoencoders, tokens that detect."""

from __future__ import annotations

from fiche.families._encoder import encoders
from fiche.families._reads import listed_number
from fiche.families._rows import Place, rows
from fiche.families._vision import one_of, patches
from fiche.families._vit import (
    BODY,
    CLASSES,
    DIMS,
    LAYER,
    OLDER_LAYER,
    VIT,
    named_class,
    narrow_layers,
)
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor, larger
from fiche.kernel.model import Parameters
from fiche.kernel.record import replace

_DECODER = """
decoder.mask_token =embedding 1 1 narrow
decoder.decoder_pos_embed =position 1 places+1 narrow
decoder.decoder_embed linear+ narrow hidden
decoder.decoder_norm norm+ narrow
decoder.decoder_pred linear+ patch*patch*colours narrow
"""


def _masked_decoder(config: Config, body: Place) -> tuple[Parameters, ...]:
    if not named_class(config).endswith("ForPreTraining"):
        return ()
    outside = replace(body, prefix="").where(narrow=config.number("decoder_hidden_size"))
    return (*rows(_DECODER, outside), *rows(LAYER, narrow_layers(config, body)))


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
    across = floor(one_of(config, "image_size") / one_of(config, "patch_size"))
    along = larger(0, 2 * across - 1)
    return along * along + 3


def _beit_words(config: Config) -> tuple[str, ...]:
    """Features are the mean of the patches, save where a head predicts them or the configuration says no."""
    told = config.value("layer_scale_init_value")
    named = named_class(config)
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
    VIT,
    outer=_BEIT_BODY,
    layer=_BEIT_LAYER,
    base="beit.",
    heads={
        "ForImageClassification": CLASSES,
        "ForMaskedImageModeling": "lm_head linear+ vocabulary hidden\nlayernorm norm+ hidden",
    },
    dims={**DIMS, "vocabulary": "vocab_size", "distances": _distances},
    words={
        "masked": "use_mask_token",
        "absolute": "use_absolute_position_embeddings",
        "relative": "use_relative_position_bias",
    },
    more=_beit_words,
    doubts=_shared_bias,
)


def _pair(config: Config) -> Node:
    """Patches of an image of two sides."""
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
    "transformers 5.24 models/beit, data2vec, vit_mae, vit_msn, ijepa, yolos",
    {
        "vit_mae": replace(VIT, heads={"ForPreTraining": ""}, besides=_masked_decoder, dims=DIMS),
        "vit_msn": VIT,
        "ijepa": replace(
            VIT,
            base="ijepa.",
            outer=BODY.replace("embeddings.cls_token =embedding 1 1 hidden\n", "").replace(
                "places+1", "places"
            ),
        ),
        "beit": _BEIT,
        "data2vec-vision": replace(
            _BEIT,
            layer=_OLDER_BEIT_LAYER,
            layers="encoder.layer.*.",
            base="data2vec_vision.",
            heads={"ForImageClassification": CLASSES},
        ),
        "yolos": replace(
            VIT,
            outer=_YOLOS_BODY,
            layer=OLDER_LAYER.replace("?key_bias", "?qkv_bias").replace("!key_bias", "!qkv_bias"),
            layers="encoder.layer.*.",
            heads={"ForObjectDetection": _BOXES},
            dims={
                **DIMS,
                "detections": "num_detection_tokens",
                "places": _pair,
                "between": lambda config: larger(0, config.number("num_hidden_layers") - 1),
            },
            more=_middle,
        ),
    },
)
