"""ConvNeXt and ConvNeXt 2: one wide convolution by channel and a feed-forward in each layer."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.families._rows import Place, rows
from fiche.families._stages import Staged, by_stage, item, numbers, staged
from fiche.kernel.config import Config
from fiche.kernel.model import Parameters

_OUTER = """
embeddings.patch_embeddings convolution+ first colours patch patch
embeddings.layernorm norm+ first
layernorm norm+ widest
"""

_LAYER = """
?scaled layer_scale_parameter =norm hidden
dwconv convolution+ hidden 1 7 7
layernorm norm+ hidden
?normed grn.{weight,bias} =norm 1 1 1 4*hidden
pwconv1 linear+ 4*hidden hidden
pwconv2 linear+ hidden 4*hidden
"""

_DOWN = """
downsampling_layer.* norm+ before
downsampling_layer.* convolution+ hidden before 2 2
"""


def _stages(config: Config, body: Place) -> Iterable[Parameters]:
    for index, place in by_stage(config, body, "depths", "encoder.stages.*.layers.*."):
        known = {"hidden": item(config, "hidden_sizes", index)}
        yield from rows(_LAYER, place.where(**known))
        if index:
            known["before"] = item(config, "hidden_sizes", index - 1)
            yield from rows(_DOWN, body.at("encoder.stages.*.").where(**known))


def _words(config: Config) -> tuple[str, ...]:
    """A learned scale of each layer, left out where its first value is zero; the second norms in its place."""
    if config.model_type == "convnextv2":
        return ("normed",)
    told = config.value("layer_scale_init_value")
    return () if told == 0 and told is not None else ("scaled",)


def _kind(base: str) -> Staged:
    return Staged(
        stages=_stages,
        lists=("depths", "hidden_sizes"),
        outer=_OUTER,
        base=base,
        heads={"ForImageClassification": "classifier linear+ labels widest"},
        dims=lambda config: {
            "first": item(config, "hidden_sizes", 0),
            "widest": item(config, "hidden_sizes", len(numbers(config, "hidden_sizes")) - 1),
            "colours": config.number("num_channels"),
            "patch": config.number("patch_size"),
        },
        words=_words,
    )


MEMBER = staged(
    "convnext",
    "ConvNeXt and ConvNeXt 2",
    "transformers 5.24 models/convnext and models/convnextv2",
    {"convnext": _kind("convnext."), "convnextv2": _kind("convnextv2.")},
)
