"""Swin and Swin 2: attention within windows, twice as wide from stage to stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fiche.families._rows import Place, rows
from fiche.families._stages import Staged, by_stage, item, numbers, staged
from fiche.families._state import expanded
from fiche.families._vision import one_of, patches
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, larger
from fiche.kernel.model import Parameters

_OUTER = """
?masked embeddings.mask_token =embedding 1 1 embedded
?absolute embeddings.position_embeddings =position 1 places embedded
embeddings.patch_embeddings.projection convolution+ embedded colours patch patch
embeddings.norm norm+ embedded
layernorm norm+ widest
"""

_FIRST = """
attention.{q,k,v}_proj linear+qkv_bias hidden hidden
attention.o_proj linear+ hidden hidden
attention.relative_position_bias.relative_position_bias_table =position window*window heads
layernorm_{before,after} norm+ hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
"""

_SECOND = """
attention.self.logit_scale =norm heads 1 1
attention.self.continuous_position_bias_mlp.* linear+ 512 2
attention.self.continuous_position_bias_mlp.* linear heads 512
attention.self.{query,value} linear+qkv_bias hidden hidden
attention.self.key linear hidden hidden
attention.output.dense linear+ hidden hidden
layernorm_{before,after} norm+ hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
"""


def _stages(config: Config, body: Place, layer: str) -> Iterable[Parameters]:
    last = len(numbers(config, "depths")) - 1
    second = config.model_type == "swinv2"
    for index, place in by_stage(config, body, "depths", "encoder.layers.*.blocks.*."):
        hidden = config.number("embed_dim") * 2**index
        known: dict[str, Node] = {
            "hidden": hidden,
            "heads": item(config, "num_heads", index),
            "ffn": expanded(config, "mlp_ratio", hidden),
            "window": larger(0, 2 * one_of(config, "window_size") - 1),
        }
        yield from rows(layer, place.where(**known))
        if index < last:
            down = body.at("encoder.layers.*.downsample.").where(hidden=hidden)
            norm = "norm norm+ 2*hidden" if second else "norm norm+ 4*hidden"
            yield from rows(f"reduction linear 2*hidden 4*hidden\n{norm}", down)


def _dims(config: Config) -> Mapping[str, Node]:
    embedded = config.number("embed_dim")
    stride = config.whole("encoder_stride")
    return {
        "embedded": embedded,
        "widest": embedded * 2 ** max(len(numbers(config, "depths")) - 1, 0),
        "colours": config.number("num_channels"),
        "patch": one_of(config, "patch_size"),
        # The second keeps a place for a class that it does not have.
        "places": patches(config) + (1 if config.model_type == "swinv2" else 0),
        "stride": config.number("encoder_stride") if stride is not None else embedded,
    }


def _words(config: Config) -> tuple[str, ...]:
    masks = (config.listed("architectures") or [""])[0]
    return (
        *(["absolute"] if config.flag("use_absolute_embeddings") else []),
        *([] if config.flag("qkv_bias") is False else ["qkv_bias"]),
        *(["masked"] if str(masks).endswith("ForMaskedImageModeling") else []),
    )


def _kind(layer: str, base: str) -> Staged:
    return Staged(
        stages=lambda config, body: _stages(config, body, layer),
        lists=("depths", "num_heads"),
        outer=_OUTER,
        base=base,
        heads={
            "ForImageClassification": "classifier linear+ labels widest",
            "ForMaskedImageModeling": "decoder.* convolution+ stride*stride*colours widest 1 1",
        },
        dims=_dims,
        words=_words,
    )


MEMBER = staged(
    "swin",
    "Swin and Swin 2",
    "transformers 5.24 models/swin and models/swinv2",
    {"swin": _kind(_FIRST, "swin."), "swinv2": _kind(_SECOND, "swinv2.")},
)
