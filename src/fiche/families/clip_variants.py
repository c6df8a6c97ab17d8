"""Pairs of towers like CLIP's: OWL-ViT and OWLv2 detect, CLIPSeg segments; Chinese CLIP, MetaCLIP 2."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.families._bert import EMBEDDINGS
from fiche.families._bert import LAYER as BERT_LAYER
from fiche.families._encoder import Encoder, encoder_model, head_class, labels_of
from fiche.families._reads import architecture_of, counted, needing, renamed, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.families._vision import grid, part_of
from fiche.families.clip import BOTH, TEXT_KIND, VISION_KIND
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node
from fiche.kernel.model import Model
from fiche.kernel.record import record, replace
from fiche.kernel.said import tell

_NAME = "clip_variants"

# The norm before the layers, under the name that CLIP's authors misspelt or not.
_SPELT = replace(VISION_KIND, outer=VISION_KIND.outer.replace("pre_layrnorm", "pre_layernorm"))

_READ = Encoder(
    outer=EMBEDDINGS,
    layer=BERT_LAYER,
    layers="encoder.layer.*.",
    base="text_model.",
    heads={},
    dims={"embedded": "hidden_size"},
    pooled=(),
)

_TOWERS = {
    "owlvit_text_model": TEXT_KIND,
    "owlvit_vision_model": _SPELT,
    "owlv2_text_model": TEXT_KIND,
    "owlv2_vision_model": _SPELT,
    "clipseg_text_model": TEXT_KIND,
    "clipseg_vision_model": VISION_KIND,
    "metaclip_2_text_model": TEXT_KIND,
    "metaclip_2_vision_model": VISION_KIND,
    "chinese_clip_text_model": _READ,
    "chinese_clip_vision_model": VISION_KIND,
}

_DETECTS = """
class_head.dense0 linear+ words vision
class_head.{logit_shift,logit_scale} linear+ 1 vision
box_head.dense{0,1} linear+ vision vision
box_head.dense2 linear+ 4 vision
layer_norm norm+ vision
"""

_OBJECTS = """
objectness_head.dense{0,1} linear+ vision vision
objectness_head.dense2 linear+ 1 vision
"""

_SEGMENTS = """
decoder.film_{mul,add} linear+ narrow joint
decoder.reduces.* linear+@taken narrow vision
decoder.transposed_convolution.weight =convolution narrow 1 patch patch
decoder.transposed_convolution.bias =bias 1
"""

_SEGMENT_LAYER = """
self_attn.{q,k,v,out}_proj linear+ narrow narrow
layer_norm{1,2} norm+ narrow
mlp.fc1 linear+ inner narrow
mlp.fc2 linear+ narrow inner
"""


@record(eq=False)
class _Pair:
    """One whole: where its towers stand below a head, and the heads by the end of the class's name."""

    base: str
    heads: Mapping[str, str] = {}


_PAIRS = {
    "owlvit": _Pair(base="owlvit.", heads={"ForObjectDetection": _DETECTS}),
    "owlv2": _Pair(base="owlv2.", heads={"ForObjectDetection": _DETECTS + _OBJECTS}),
    "clipseg": _Pair(base="clip.", heads={"ForImageSegmentation": _SEGMENTS}),
    "metaclip_2": _Pair(base=""),
    "chinese_clip": _Pair(base=""),
}


def _place(config: Config, text: Config, vision: Config) -> Place:
    dims: dict[str, Node] = {
        "joint": config.number("projection_dim"),
        "text": text.number("hidden_size"),
        "words": text.number("hidden_size"),
        "vision": vision.number("hidden_size"),
        "labels": labels_of(config),
        "patch": vision.number("patch_size"),
    }
    if config.model_type == "clipseg":
        dims["narrow"] = config.number("reduce_dim")
        dims["inner"] = config.number("decoder_intermediate_size")
    return Place(dims=dims, part="projector")


def _whole(config: Config, inner: Callable[[Config], Model]) -> Model:
    text, vision = part_of(config, "text_config"), part_of(config, "vision_config")
    if text is None or vision is None:
        return unread(config, _NAME, tell("give text_config and vision_config"))
    pair = _PAIRS[config.model_type]
    head, doubt = head_class(config, pair.heads)
    words, seen = inner(text), inner(vision)
    place = _place(config, text, vision)
    base = "" if head == "Model" else pair.base
    layers = config.listed("extract_layers") or []
    if head == "ForImageSegmentation":
        taken = counted(config, "extract_layers", len(layers))
        place = place.where(taken=taken)
        later = place.over("decoder.layers.*.", range(len(layers)), taken)
    else:
        later = place.over("", (), place.count)
    return Model(
        family=_NAME,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *renamed(words.parameters, "", f"{base}text_model.", "encoder"),
            *renamed(seen.parameters, "", f"{base}vision_model.", "vision"),
            *rows(BOTH, place.at(base)),
            *rows(pair.heads.get(head, ""), place),
            *rows(_SEGMENT_LAYER, later),
        ),
        blocks=(*words.blocks, *seen.blocks),
        hidden=words.hidden,
        vocabulary=words.vocabulary,
        positions=words.positions,
        images=grid(vision),
        storage=storage_of(config, text, vision),
        config=config,
        open=(*doubt, *words.open, *seen.open),
    )


@needing(_NAME, "num_hidden_layers")
def _tower(config: Config, inner: Callable[[Config], Model]) -> Model:
    return encoder_model(_NAME, config, _TOWERS[config.model_type])


def _build(config: Config, inner: Callable[[Config], Model]) -> Model:
    return (_tower if config.model_type in _TOWERS else _whole)(config, inner)


MEMBER = Family(
    name=_NAME,
    title="OWL-ViT, OWLv2, CLIPSeg, Chinese CLIP, MetaCLIP 2",
    source="transformers 5.24 models/owlvit, owlv2, clipseg, chinese_clip, metaclip_2",
    model_types=(*_PAIRS, *_TOWERS),
    build=_build,
)
