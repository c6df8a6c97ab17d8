"""Tables of vision transformers that several families start from, under the names of transformers 5.24."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.families._encoder import Encoder
from fiche.families._reads import MOST_LAYERS
from fiche.families._rows import Place
from fiche.families._vision import NO_WORDS, one_of, patches
from fiche.kernel.config import Config
from fiche.kernel.figure import Node
from fiche.kernel.record import replace

LAYER = """
attention.{q,k,v}_proj linear+qkv_bias hidden hidden
attention.o_proj linear+ hidden hidden
layernorm_{before,after} norm+ hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
"""

# The library's older names for the same.
OLDER_LAYER = """
attention.attention.{query,value} linear+qkv_bias hidden hidden
?key_bias attention.attention.key linear+ hidden hidden
!key_bias attention.attention.key linear hidden hidden
attention.output.dense linear+ hidden hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
layernorm_{before,after} norm+ hidden
"""

BODY = """
embeddings.cls_token =embedding 1 1 hidden
embeddings.position_embeddings =position 1 places+1 hidden
embeddings.patch_embeddings.projection convolution+ hidden colours patch patch
layernorm norm+ hidden
"""

CLASSES = "classifier linear+ labels hidden"

DIMS: Mapping[str, str | Callable[[Config], Node]] = {
    **NO_WORDS,
    "colours": "num_channels",
    "patch": lambda config: one_of(config, "patch_size"),
    "places": patches,
}

VIT = Encoder(
    outer=BODY,
    layer=LAYER,
    layers="layers.*.",
    base="vit.",
    heads={"ForImageClassification": CLASSES},
    dims=DIMS,
    words={"qkv_bias": "qkv_bias"},
    part="vision",
)


def named_class(config: Config) -> str:
    """The class that the configuration names, empty where it names none."""
    return str((config.listed("architectures") or [""])[0])


def narrow_layers(config: Config, body: Place) -> Place:
    """The place of a decoder's layers, which only pretraining has."""
    depth = min(config.whole("decoder_num_hidden_layers") or 0, MOST_LAYERS)
    hidden, ffn = config.number("decoder_hidden_size"), config.number("decoder_intermediate_size")
    outside = replace(body, prefix="").where(hidden=hidden, ffn=ffn, narrow=hidden)
    count = config.number("decoder_num_hidden_layers")
    return outside.over("decoder.decoder_layers.*.", range(depth), count)
