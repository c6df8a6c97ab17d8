"""BERT and the encoders with its layer: RoBERTa, ELECTRA, ERNIE, BigBird, LayoutLM, Longformer, RemBERT."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.kernel.config import Config
from fiche.kernel.record import replace

_EMBEDDINGS = """
embeddings.word_embeddings embedding vocabulary embedded
embeddings.position_embeddings position positions embedded
embeddings.token_type_embeddings embedding types embedded
embeddings.LayerNorm norm+ embedded
"""

_POOLER = "?pooler pooler.dense linear+ hidden hidden\n"

LAYER = """
attention.self.{query,key,value} linear+ hidden hidden
?global attention.self.{query,key,value}_global linear+ hidden hidden
attention.output.dense linear+ hidden hidden
attention.output.LayerNorm norm+ hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
output.LayerNorm norm+ hidden
"""

_IDS = "embeddings.position_ids =buffer 1 positions"

_PREDICTIONS = """
cls.predictions.bias =bias vocabulary
cls.predictions.transform.dense linear+ hidden hidden
cls.predictions.transform.LayerNorm norm+ hidden
?untied cls.predictions.decoder head+ vocabulary hidden
"""

_LM_HEAD = """
lm_head.bias =bias vocabulary
lm_head.dense linear+ hidden hidden
lm_head.layer_norm norm+ hidden
?untied lm_head.decoder head+ vocabulary hidden
"""

_NEXT = "cls.seq_relationship linear+ 2 hidden\n"
_CLASSES = "classifier linear+ labels hidden"
_ONE = "classifier linear+ 1 hidden"
_ANSWERS = "qa_outputs linear+ labels hidden"

_TWO_STEPS = """
classifier.dense linear+ hidden hidden
classifier.out_proj linear+ labels hidden
"""

_BERT_HEADS = {
    "ForPreTraining": _PREDICTIONS + _NEXT,
    "ForMaskedLM": _PREDICTIONS,
    "LMHeadModel": _PREDICTIONS,
    "ForNextSentencePrediction": _NEXT,
    "ForSequenceClassification": _CLASSES,
    "ForTokenClassification": _CLASSES,
    "ForMultipleChoice": _ONE,
    "ForQuestionAnswering": _ANSWERS,
}
_BERT_POOLED = (
    "Model",
    "ForPreTraining",
    "ForNextSentencePrediction",
    "ForSequenceClassification",
    "ForMultipleChoice",
)

_ROBERTA_HEADS = {
    "ForMaskedLM": _LM_HEAD,
    "ForCausalLM": _LM_HEAD,
    "ForSequenceClassification": _TWO_STEPS,
    "ForTokenClassification": _CLASSES,
    "ForMultipleChoice": _ONE,
    "ForQuestionAnswering": _ANSWERS,
}

_ELECTRA_HEADS = {
    "ForPreTraining": """
discriminator_predictions.dense linear+ hidden hidden
discriminator_predictions.dense_prediction linear+ 1 hidden
""",
    "ForMaskedLM": """
generator_predictions.LayerNorm norm+ embedded
generator_predictions.dense linear+ embedded hidden
generator_lm_head.bias =bias vocabulary
?untied generator_lm_head head vocabulary embedded
""",
    "ForSequenceClassification": _TWO_STEPS,
    "ForTokenClassification": _CLASSES,
    "ForQuestionAnswering": _ANSWERS,
}

_REMBERT_HEADS = {
    "ForMaskedLM": """
cls.predictions.dense linear+ output_width hidden
cls.predictions.decoder head+ vocabulary output_width
cls.predictions.LayerNorm norm+ output_width
""",
    "ForSequenceClassification": _CLASSES,
    "ForTokenClassification": _CLASSES,
    "ForQuestionAnswering": _ANSWERS,
}


def _doubts(config: Config) -> tuple[str, ...]:
    """What would add tensors that the tables do not list."""
    if config.flag("add_cross_attention"):
        return ("add_cross_attention is not understood here: give the model's tensors",)
    return ()


_BERT = Encoder(
    outer=_EMBEDDINGS + _POOLER,
    layer=LAYER,
    layers="encoder.layer.*.",
    base="bert.",
    heads=_BERT_HEADS,
    pooled=_BERT_POOLED,
    dims={"embedded": "hidden_size"},
    stored=_IDS,
    doubts=_doubts,
)

_ROBERTA = replace(
    _BERT, base="roberta.", heads=_ROBERTA_HEADS, pooled=("Model", "ForMultipleChoice")
)


def _projected(config: Config) -> tuple[str, ...]:
    same = config.whole("embedding_size") == config.whole("hidden_size")
    return () if same else ("projected",)


_BOXES = "embeddings.{x,y,h,w}_position_embeddings position box embedded\n"

MEMBER = encoders(
    "bert",
    "BERT and encoders with its layer",
    "transformers 5.24 models/bert, roberta, xlm_roberta, camembert, electra, ernie, big_bird, layoutlm,"
    " longformer, rembert, data2vec",
    {
        "bert": _BERT,
        "ernie": replace(
            _BERT,
            base="ernie.",
            outer=_EMBEDDINGS
            + "?tasks embeddings.task_type_embeddings embedding tasks embedded\n"
            + _POOLER,
            words={"tasks": "use_task_id"},
            dims={"embedded": "hidden_size", "tasks": "task_type_vocab_size"},
        ),
        "layoutlm": replace(
            _BERT,
            base="layoutlm.",
            outer=_EMBEDDINGS + _BOXES + "pooler.dense linear+ hidden hidden\n",
            dims={"embedded": "hidden_size", "box": "max_2d_position_embeddings"},
        ),
        "big_bird": replace(
            _BERT,
            base="bert.",
            outer=_EMBEDDINGS + "?pooler pooler linear+ hidden hidden\n",
            heads={
                "ForMaskedLM": _PREDICTIONS,
                "ForPreTraining": _PREDICTIONS + _NEXT,
                "ForSequenceClassification": _TWO_STEPS,
                "ForTokenClassification": _CLASSES,
            },
            pooled=(*_BERT_POOLED, "ForMaskedLM", "ForTokenClassification"),
        ),
        "roberta": _ROBERTA,
        "xlm-roberta": _ROBERTA,
        "camembert": _ROBERTA,
        "data2vec-text": replace(_ROBERTA, base="data2vec_text."),
        "longformer": replace(_ROBERTA, base="longformer.", more=lambda config: ("global",)),
        "electra": replace(
            _BERT,
            base="electra.",
            outer=_EMBEDDINGS + "?projected embeddings_project linear+ hidden embedded\n",
            dims={"embedded": "embedding_size"},
            heads=_ELECTRA_HEADS,
            more=_projected,
        ),
        "rembert": replace(
            _BERT,
            base="rembert.",
            outer=_EMBEDDINGS
            + "encoder.embedding_hidden_mapping_in linear+ hidden embedded\n"
            + _POOLER,
            dims={"embedded": "input_embedding_size", "output_width": "output_embedding_size"},
            heads=_REMBERT_HEADS,
            pooled=("Model", "ForSequenceClassification"),
        ),
    },
)
