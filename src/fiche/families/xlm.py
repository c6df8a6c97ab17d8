"""XLM and FlauBERT: embeddings of language, and the parts of all layers in lists of their own."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.kernel.config import Config
from fiche.kernel.record import replace
from fiche.kernel.said import tell

_BODY = """
position_embeddings position positions hidden
?languages lang_embeddings embedding languages hidden
embeddings embedding vocabulary hidden
layer_norm_emb norm+ hidden
"""

_LAYER = """
attentions.*.{q,k,v,out}_lin linear+ hidden hidden
layer_norm1.* norm+ hidden
ffns.*.lin1 linear+ 4*hidden hidden
ffns.*.lin2 linear+ hidden 4*hidden
layer_norm2.* norm+ hidden
"""

_SUMMARY = "sequence_summary.summary linear+ labels hidden\n"

_BEAMS = """
qa_outputs.start_logits.dense linear+ 1 hidden
qa_outputs.end_logits.dense_0 linear+ hidden 2*hidden
qa_outputs.end_logits.LayerNorm norm+ hidden
qa_outputs.end_logits.dense_1 linear+ 1 hidden
qa_outputs.answer_class.dense_0 linear+ hidden 2*hidden
qa_outputs.answer_class.dense_1 linear 1 hidden
"""


def _languages(config: Config) -> tuple[str, ...]:
    several = (config.whole("n_langs") or 1) > 1
    return ("languages",) if several and config.flag("use_lang_emb") is not False else ()


def _doubts(config: Config) -> tuple[str, ...]:
    found = []
    if config.flag("asm"):
        found.append("an adaptive softmax (asm) is not understood: give the tensors")
    if config.flag("is_encoder") is False:
        found.append(
            tell("a decoder of this type (is_encoder) is not understood: say what it keeps")
        )
    return tuple(found)


_XLM = Encoder(
    outer=_BODY,
    layer=_LAYER,
    layers="",
    base="transformer.",
    heads={
        "WithLMHeadModel": "pred_layer.proj.bias =bias vocabulary\n"
        "?untied pred_layer.proj head vocabulary hidden",
        "ForSequenceClassification": _SUMMARY,
        "ForTokenClassification": "classifier linear+ labels hidden",
        "ForMultipleChoice": _SUMMARY + "logits_proj linear+ 1 labels",
        "ForQuestionAnswering": _BEAMS,
        "ForQuestionAnsweringSimple": "qa_outputs linear+ labels hidden",
    },
    dims={
        "hidden": "emb_dim",
        "heads": "n_heads",
        "ffn": lambda config: 4 * config.number("emb_dim"),
        "types": "",
        "languages": "n_langs",
    },
    more=_languages,
    depth="n_layers",
    doubts=_doubts,
)

MEMBER = encoders(
    "xlm",
    "XLM and FlauBERT",
    "transformers 5.24 models/xlm and models/flaubert",
    {"xlm": _XLM, "flaubert": replace(_XLM)},
)
