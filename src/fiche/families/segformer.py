"""SegFormer: four stages of attention over shortened keys, and a light head that joins them."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._reads import listed_number
from fiche.families._rows import Place, rows
from fiche.families._stages import Staged, batch_norm, by_stage, item, numbers, staged
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import Parameters

_PATCHES = """
patch_embeddings.proj convolution+ hidden before patch patch
patch_embeddings.layer_norm norm+ hidden
layer_norm norm+ hidden
"""

_LAYER = """
layernorm_{before,after} norm+ hidden
attention.{q,k,v,o}_proj linear+ hidden hidden
?shorter attention.sequence_reduction.sequence_reduction convolution+ hidden hidden ratio ratio
?shorter attention.sequence_reduction.layer_norm norm+ hidden
mlp.fc1 linear+ ffn hidden
mlp.dwconv.dwconv convolution+ ffn 1 3 3
mlp.fc2 linear+ hidden ffn
"""

_LISTS = (
    *("depths", "hidden_sizes", "patch_sizes", "sr_ratios", "mlp_ratios"),
    "num_attention_heads",
)


def _stages(config: Config, body: Place) -> Iterable[Parameters]:
    ratios = numbers(config, "sr_ratios")
    for index, place in by_stage(config, body, "depths", "stages.*.blocks.*."):
        hidden = item(config, "hidden_sizes", index)
        before = item(config, "hidden_sizes", index - 1) if index else config.number("num_channels")
        known: dict[str, Node] = {
            "hidden": hidden,
            "before": before,
            "patch": item(config, "patch_sizes", index),
            "ratio": item(config, "sr_ratios", index),
            "ffn": floor(hidden * item(config, "mlp_ratios", index)),
        }
        words = ("shorter",) if ratios[index] > 1 else ()
        yield from rows(_LAYER, place.where(*words, **known))
        yield from rows(_PATCHES, body.at("stages.*.").where(**known))
    if str((config.listed("architectures") or [""])[0]).endswith("SemanticSegmentation"):
        yield from _joined(config, body)


def _joined(config: Config, body: Place) -> Iterable[Parameters]:
    """One projection a stage, to the width of the head."""
    for index in range(len(numbers(config, "hidden_sizes"))):
        known = {
            "hidden": listed_number(config, "hidden_sizes", index),
            "joint": config.number("decoder_hidden_size"),
        }
        place = Place(dims=known, prefix="decode_head.linear_projections.*.", part="vision")
        yield from rows("proj linear+ joint hidden", place)


_SEGMENTS = (
    "decode_head.linear_fuse convolution joint joint*stages 1 1\n"
    + batch_norm("decode_head.batch_norm", "joint")
    + "decode_head.classifier convolution+ labels joint 1 1\n"
)


def _dims(config: Config) -> dict[str, Node]:
    last = len(numbers(config, "hidden_sizes")) - 1
    return {
        "widest": item(config, "hidden_sizes", last),
        "joint": config.number("decoder_hidden_size"),
        "stages": config.number("num_encoder_blocks"),
    }


MEMBER = staged(
    "segformer",
    "SegFormer",
    "transformers 5.24 models/segformer",
    {
        "segformer": Staged(
            stages=_stages,
            lists=_LISTS,
            outer="",
            base="segformer.",
            heads={
                "ForImageClassification": "classifier linear+ labels widest",
                "ForSemanticSegmentation": _SEGMENTS,
            },
            dims=_dims,
        )
    },
)
