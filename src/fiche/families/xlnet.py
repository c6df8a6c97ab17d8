"""XLNet and Funnel: attention with learned biases of relative position, a tensor a head."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders, head_class
from fiche.families._reads import counted
from fiche.families._rows import Place, rows
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import Parameters
from fiche.kernel.said import tell

_DIMS = {"hidden": "d_model", "heads": "n_head", "ffn": "d_inner", "types": "", "positions": ""}

_XLNET = """
mask_emb =embedding 1 1 hidden
word_embedding embedding vocabulary hidden
"""

_XLNET_LAYER = """
rel_attn.{q,k,v,o,r} =linear hidden heads head
rel_attn.{r_r_bias,r_s_bias,r_w_bias} =bias heads head
rel_attn.seg_embed =embedding 2 heads head
rel_attn.layer_norm norm+ hidden
ff.layer_norm norm+ hidden
ff.layer_1 linear+ ffn hidden
ff.layer_2 linear+ hidden ffn
"""

_SUMMARY = "sequence_summary.summary linear+ hidden hidden\n"

_BEAMS = """
start_logits.dense linear+ 1 hidden
end_logits.dense_0 linear+ hidden 2*hidden
end_logits.LayerNorm norm+ hidden
end_logits.dense_1 linear+ 1 hidden
answer_class.dense_0 linear+ hidden 2*hidden
answer_class.dense_1 linear 1 hidden
"""

_XLNET_HEADS = {
    "LMHeadModel": "lm_loss.bias =bias vocabulary\n?untied lm_loss head vocabulary hidden",
    "ForSequenceClassification": _SUMMARY + "logits_proj linear+ labels hidden",
    "ForTokenClassification": "classifier linear+ labels hidden",
    "ForMultipleChoice": _SUMMARY + "logits_proj linear+ 1 hidden",
    "ForQuestionAnswering": _BEAMS,
    "ForQuestionAnsweringSimple": "qa_outputs linear+ labels hidden",
}

_FUNNEL_LAYER = """
attention.{r_w_bias,r_r_bias,r_s_bias} =bias heads head
attention.r_kernel =linear hidden heads head
attention.seg_embed =embedding 2 heads head
attention.q_head linear query hidden
attention.{k,v}_head linear+ query hidden
attention.post_proj linear+ hidden query
attention.layer_norm norm+ hidden
ffn.linear_1 linear+ ffn hidden
ffn.linear_2 linear+ hidden ffn
ffn.layer_norm norm+ hidden
"""

_SHORT = ("BaseModel", "ForMultipleChoice", "ForSequenceClassification")

_FUNNEL_HEADS = {
    "BaseModel": "",
    "ForMaskedLM": "lm_head.bias =bias vocabulary\n?untied lm_head head vocabulary hidden",
    "ForPreTraining": """
discriminator_predictions.dense linear+ hidden hidden
discriminator_predictions.dense_prediction linear+ 1 hidden
""",
    "ForSequenceClassification": """
classifier.linear_hidden linear+ hidden hidden
classifier.linear_out linear+ labels hidden
""",
    "ForMultipleChoice": """
classifier.linear_hidden linear+ hidden hidden
classifier.linear_out linear+ 1 hidden
""",
    "ForTokenClassification": "classifier linear+ labels hidden",
    "ForQuestionAnswering": "qa_outputs linear+ labels hidden",
}


def _blocks(config: Config, body: Place) -> tuple[Parameters, ...]:
    """Layers in blocks, each half as many tokens as the one before; then a decoder in some classes."""
    head, _ = head_class(config, _FUNNEL_HEADS)
    if head == "BaseModel":  # the body itself, though its name is a head's
        body = Place(dims=body.dims, words=body.words, part=body.part)
    # A block that repeats its layers has their weights once.
    told = [each for each in config.listed("block_sizes") or [] if type(each) is int and each > 0]
    count = sum(min(each, 1000) for each in told[:100])
    place = body.over("encoder.blocks.*.*.", range(count), counted(config, "block_sizes", count))
    found = [*rows(_OUTER, body), *rows(_FUNNEL_LAYER, place)]
    if head not in _SHORT:
        decoding = config.number("num_decoder_layers")
        layers = range(min(config.whole("num_decoder_layers") or 0, 1000))
        found += rows(_FUNNEL_LAYER, body.over("decoder.layers.*.", layers, decoding))
    return tuple(found)


_OUTER = """
embeddings.word_embeddings embedding vocabulary hidden
embeddings.layer_norm norm+ hidden
"""


def _depth_of(config: Config) -> tuple[str, ...]:
    sizes = config.listed("block_sizes")
    if not sizes or not all(type(each) is int and 0 < each <= 1000 for each in sizes):
        return (tell("give block_sizes: how many layers each block has"),)
    return ()


def _query(config: Config) -> Node:
    return config.number("n_head") * config.number("d_head")


def _head(config: Config) -> Node:
    return floor(config.number("d_model") / config.number("n_head"))


MEMBER = encoders(
    "xlnet",
    "XLNet and Funnel",
    "transformers 5.24 models/xlnet and models/funnel",
    {
        "xlnet": Encoder(
            outer=_XLNET,
            layer=_XLNET_LAYER,
            layers="layer.*.",
            base="transformer.",
            heads=_XLNET_HEADS,
            dims={**_DIMS, "head": _head},
            depth="n_layer",
        ),
        "funnel": Encoder(
            outer="",
            layer="",
            layers="",
            base="funnel.",
            heads=_FUNNEL_HEADS,
            dims={**_DIMS, "head": "d_head", "query": _query},
            depth="num_decoder_layers",
            besides=_blocks,
            doubts=_depth_of,
        ),
    },
)
