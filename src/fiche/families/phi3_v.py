"""Phi-3 Vision by the code beside its files: CLIP's large tower at 336 pixels, in front of Phi 3.

The tower's dimensions are fixed in that code, not in the configuration.
"""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._reads import architecture_of, asked, renamed, storage_of
from fiche.families._rows import Place, fixed, rows
from fiche.kernel.config import Config, Json
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node
from fiche.kernel.model import ImageTokens, Model
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_TOWER: dict[str, Json] = {
    "model_type": "clip_vision_model",
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "image_size": 336,
    "patch_size": 14,
    "num_channels": 3,
}
_TOWER_NAME = "openai/clip-vit-large-patch14-336"

# Four neighbouring features side by side, then two linear layers; a vector ends rows and the overview.
_PROJECTOR = """
glb_GN =embedding 1 1 4*seen
sub_GN =embedding 1 1 1 4*seen
img_projection.* linear+ hidden 4*seen
img_projection.* linear+ hidden hidden
"""

_REQUIRED = (
    *("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers"),
    "num_attention_heads",
)

_RULE = "144 tokens a crop and for the overview, and one for each of 12 rows a row of crops; up to 16 crops"


def _images() -> ImageTokens:
    """(crops + 1) x 144 + 1 + (rows of crops + 1) x 12: one crop, or sixteen one above the other."""
    least: Node = fixed(2 * 144 + 1 + 2 * 12)
    return ImageTokens(kind="tiled", least=least, most=fixed(17 * 144 + 1 + 17 * 12), rule=_RULE)


def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    language = inner(replace(config, values={**config.values, "model_type": "phi3"}))
    tower = replace(config, values=_TOWER, place="/img_processor", in_file=False)
    seen = inner(tower)
    told = config.part("img_processor")
    doubts = [tell("give {key}", key=key) for key in _REQUIRED if not config.told(key)]
    if told is None or told.text("model_name") != _TOWER_NAME:
        doubts.append(
            tell(
                "say which tower img_processor names: only {tower_name} is read here",
                tower_name=_TOWER_NAME,
            )
        )
    layer = config.part("embd_layer")
    if layer is not None and layer.flag("use_hd_transform") is False:
        doubts.append(tell("give the tensors: only images cut into crops are read here"))
    dims = {"hidden": config.number("hidden_size"), "seen": tower.number("hidden_size")}
    place = Place(dims=dims, prefix="model.vision_embed_tokens.", part="projector")
    return replace(
        language,
        family=MEMBER.name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *renamed(
                seen.parameters,
                "",
                "model.vision_embed_tokens.img_processor.vision_model.",
                "vision",
            ),
            *rows(_PROJECTOR, place),
            *language.parameters,
        ),
        images=_images(),
        storage=storage_of(config),
        config=config,
        open=tuple(dict.fromkeys((*language.open, *seen.open, *map(asked, doubts)))),
    )


MEMBER = Family(
    name="phi3_v",
    title="Phi-3 Vision",
    source="vLLM's model file phi3v; configuration published with Phi-3.5-vision-instruct",
    model_types=("phi3_v",),
    build=_build,
)
