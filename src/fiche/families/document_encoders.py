"""Encoders of documents, tables and entities: LayoutLM 3, LiLT, TAPAS, LUKE, MarkupLM."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.families._bert import (
    ANSWERS,
    BERT,
    CLASSES,
    EMBEDDINGS,
    LAYER,
    ONE,
    POOLER,
    PREDICTIONS,
    TWO_STEPS,
)
from fiche.families._encoder import encoders
from fiche.families._reads import listed_number
from fiche.families._rows import Place, rows
from fiche.families._vision import patches
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import Parameters
from fiche.kernel.record import replace

_ANSWERS_IN_STEPS = TWO_STEPS.replace("classifier", "qa_outputs")

_LAYOUT_EMBEDDINGS = """
layout_embeddings.{x,y,h,w}_position_embeddings position box sixth
layout_embeddings.box_position_embeddings position positions layout
layout_embeddings.box_linear_embeddings linear+ layout hidden
layout_embeddings.LayerNorm norm+ layout
"""

_LAYOUT_LAYER = """
attention.self.layout_{query,key,value} linear+ layout layout
attention.layout_output.dense linear+ layout layout
attention.layout_output.LayerNorm norm+ layout
layout_intermediate.dense linear+ layout_ffn layout
layout_output.dense linear+ layout layout_ffn
layout_output.LayerNorm norm+ layout
"""


def _shrunk(config: Config, key: str) -> Node:
    return floor(config.number(key) / config.number("channel_shrink_ratio"))


_LILT = replace(
    BERT,
    base="lilt.",
    outer=EMBEDDINGS + _LAYOUT_EMBEDDINGS + POOLER,
    layer=LAYER + _LAYOUT_LAYER,
    dims={
        "embedded": "hidden_size",
        "box": "max_2d_position_embeddings",
        "sixth": lambda config: floor(config.number("hidden_size") / 6),
        "layout": lambda config: _shrunk(config, "hidden_size"),
        "layout_ffn": lambda config: _shrunk(config, "intermediate_size"),
    },
    heads={
        "ForSequenceClassification": TWO_STEPS,
        "ForTokenClassification": CLASSES,
        "ForQuestionAnswering": ANSWERS,
    },
    pooled=("Model",),
)

_PAGE = """
?seen cls_token =embedding 1 1 hidden
?seen pos_embed =position 1 places+1 hidden
embeddings.{x,y}_position_embeddings position box coordinate
embeddings.{h,w}_position_embeddings position box extent
?seen patch_embed.proj convolution+ hidden colours patch patch
?seen LayerNorm norm+ hidden
?seen norm norm+ hidden
?relative encoder.rel_pos_bias position heads bins
?spatial encoder.rel_pos_{x,y}_bias position heads box_bins
"""


def _few_labels(config: Config) -> tuple[str, ...]:
    """Below ten labels a token has one linear layer, from ten on two."""
    named = config.value("id2label")
    count = len(named) if isinstance(named, dict) else config.whole("num_labels")
    return () if count is not None and count >= 10 else ("few",)


_LAYOUT_3 = replace(
    BERT,
    base="layoutlmv3.",
    outer=EMBEDDINGS + _PAGE,
    dims={
        "embedded": "hidden_size",
        "box": "max_2d_position_embeddings",
        "coordinate": "coordinate_size",
        "extent": "shape_size",
        "colours": "num_channels",
        "patch": "patch_size",
        "places": lambda config: patches(config, side="input_size"),
        "bins": "rel_pos_bins",
        "box_bins": "rel_2d_pos_bins",
    },
    words={
        "seen": "visual_embed",
        "relative": "has_relative_attention_bias",
        "spatial": "has_spatial_attention_bias",
    },
    more=_few_labels,
    heads={
        "ForSequenceClassification": TWO_STEPS,
        "ForQuestionAnswering": _ANSWERS_IN_STEPS,
        "ForTokenClassification": f"?few {CLASSES}\n"
        + "\n".join(f"!few {line}" for line in TWO_STEPS.split("\n") if line),
    },
    pooled=(),
)

_TABLE_POSITIONS = EMBEDDINGS.replace(
    "embeddings.token_type_embeddings embedding types embedded\n", ""
)


def _columns(config: Config, body: Place) -> tuple[Parameters, ...]:
    """One table of types each for segment, column, row, rank and what else a cell tells."""
    found: list[Parameters] = []
    for index in range(len(config.listed("type_vocab_sizes") or [])):
        row = f"embeddings.token_type_embeddings_{index} embedding types_{index} embedded"
        known = {f"types_{index}": listed_number(config, "type_vocab_sizes", index)}
        found += rows(row, body.where(**known))
    # The names differ in a number, though it is no place in a list.
    return tuple(found)


_CELLS = """
output_weights =linear hidden
column_output_weights =linear hidden
output_bias =bias
column_output_bias =bias
?aggregated aggregation_classifier linear+ aggregations hidden
"""


def _aggregated(config: Config) -> tuple[str, ...]:
    return ("aggregated",) if config.whole("num_aggregation_labels") else ()


_TAPAS = replace(
    BERT,
    base="tapas.",
    outer=_TABLE_POSITIONS + POOLER,
    besides=_columns,
    dims={"embedded": "hidden_size", "types": "", "aggregations": "num_aggregation_labels"},
    more=_aggregated,
    heads={
        "ForMaskedLM": PREDICTIONS,
        "ForSequenceClassification": CLASSES,
        "ForQuestionAnswering": _CELLS,
    },
    pooled=("Model", "ForSequenceClassification", "ForQuestionAnswering"),
)

_ENTITIES = """
entity_embeddings.entity_embeddings embedding entities entity
?narrow entity_embeddings.entity_embedding_dense linear hidden entity
entity_embeddings.position_embeddings position positions hidden
entity_embeddings.token_type_embeddings embedding types hidden
entity_embeddings.LayerNorm norm+ hidden
"""


def _narrow(config: Config) -> tuple[str, ...]:
    same = config.whole("entity_emb_size") == config.whole("hidden_size")
    return () if same or config.value("entity_emb_size") is None else ("narrow",)


_LUKE_HEADS: Mapping[str, str] = {
    "ForEntityClassification": CLASSES,
    "ForEntityPairClassification": "classifier linear labels 2*hidden",
    "ForEntitySpanClassification": "classifier linear+ labels 3*hidden",
    "ForMultipleChoice": ONE,
    "ForSequenceClassification": CLASSES,
    "ForTokenClassification": CLASSES,
    "ForQuestionAnswering": ANSWERS,
}

_LUKE = replace(
    BERT,
    base="luke.",
    outer=EMBEDDINGS + _ENTITIES + POOLER,
    layer=LAYER + "?aware attention.self.{w2e,e2w,e2e}_query linear+ hidden hidden\n",
    dims={"embedded": "hidden_size", "entities": "entity_vocab_size", "entity": "entity_emb_size"},
    words={"aware": "use_entity_aware_attention"},
    more=_narrow,
    heads=_LUKE_HEADS,
    pooled=(
        "Model",
        *(name for name in _LUKE_HEADS if "Entity" in name or "Sequence" in name),
        "ForMultipleChoice",
    ),
)

_PATHS = """
embeddings.xpath_embeddings.xpath_unitseq2_embeddings linear+ hidden unit*deep
embeddings.xpath_embeddings.xpath_unitseq2_inner linear+ 4*hidden unit*deep
embeddings.xpath_embeddings.inner2emb linear+ hidden 4*hidden
embeddings.xpath_embeddings.xpath_tag_sub_embeddings.* embedding@deep tags unit
embeddings.xpath_embeddings.xpath_subs_sub_embeddings.* embedding@deep subscripts unit
"""

_MARKUP = replace(
    BERT,
    base="markuplm.",
    outer=EMBEDDINGS + _PATHS + POOLER,
    dims={
        "embedded": "hidden_size",
        "unit": "xpath_unit_hidden_size",
        "deep": "max_depth",
        "tags": "max_xpath_tag_unit_embeddings",
        "subscripts": "max_xpath_subs_unit_embeddings",
    },
    heads={
        "ForSequenceClassification": CLASSES,
        "ForTokenClassification": CLASSES,
        "ForQuestionAnswering": ANSWERS,
    },
    pooled=("Model", "ForSequenceClassification"),
)

MEMBER = encoders(
    "document_encoders",
    "Encoders of documents, tables and entities",
    "transformers 5.24 models/layoutlmv3, lilt, tapas, luke, markuplm",
    {
        "layoutlmv3": _LAYOUT_3,
        "lilt": _LILT,
        "tapas": _TAPAS,
        "luke": _LUKE,
        "markuplm": _MARKUP,
    },
)
