"""BERT and the encoders with its layer: RoBERTa, ELECTRA, ERNIE, BigBird, LayoutLM, Longformer, RemBERT."""

from __future__ import annotations

from fiche.families._bert import (
    ANSWERS,
    BERT,
    BERT_POOLED,
    CLASSES,
    EMBEDDINGS,
    NEXT,
    POOLER,
    PREDICTIONS,
    ROBERTA,
    TWO_STEPS,
)
from fiche.families._encoder import encoders
from fiche.kernel.config import Config
from fiche.kernel.record import replace

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
    "ForSequenceClassification": TWO_STEPS,
    "ForTokenClassification": CLASSES,
    "ForQuestionAnswering": ANSWERS,
}

_REMBERT_HEADS = {
    "ForMaskedLM": """
cls.predictions.dense linear+ output_width hidden
cls.predictions.decoder head+ vocabulary output_width
cls.predictions.LayerNorm norm+ output_width
""",
    "ForSequenceClassification": CLASSES,
    "ForTokenClassification": CLASSES,
    "ForQuestionAnswering": ANSWERS,
}


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
        "bert": BERT,
        "ernie": replace(
            BERT,
            base="ernie.",
            outer=EMBEDDINGS
            + "?tasks embeddings.task_type_embeddings embedding tasks embedded\n"
            + POOLER,
            words={"tasks": "use_task_id"},
            dims={"embedded": "hidden_size", "tasks": "task_type_vocab_size"},
        ),
        "layoutlm": replace(
            BERT,
            base="layoutlm.",
            outer=EMBEDDINGS + _BOXES + "pooler.dense linear+ hidden hidden\n",
            dims={"embedded": "hidden_size", "box": "max_2d_position_embeddings"},
        ),
        "big_bird": replace(
            BERT,
            base="bert.",
            outer=EMBEDDINGS + "?pooler pooler linear+ hidden hidden\n",
            heads={
                "ForMaskedLM": PREDICTIONS,
                "ForPreTraining": PREDICTIONS + NEXT,
                "ForSequenceClassification": TWO_STEPS,
                "ForTokenClassification": CLASSES,
            },
            pooled=(*BERT_POOLED, "ForMaskedLM", "ForTokenClassification"),
        ),
        "roberta": ROBERTA,
        "xlm-roberta": ROBERTA,
        "camembert": ROBERTA,
        "data2vec-text": replace(ROBERTA, base="data2vec_text."),
        "longformer": replace(ROBERTA, base="longformer.", more=lambda config: ("global",)),
        "electra": replace(
            BERT,
            base="electra.",
            outer=EMBEDDINGS + "?projected embeddings_project linear+ hidden embedded\n",
            dims={"embedded": "embedding_size"},
            heads=_ELECTRA_HEADS,
            more=_projected,
        ),
        "rembert": replace(
            BERT,
            base="rembert.",
            outer=EMBEDDINGS
            + "encoder.embedding_hidden_mapping_in linear+ hidden embedded\n"
            + POOLER,
            dims={"embedded": "input_embedding_size", "output_width": "output_embedding_size"},
            heads=_REMBERT_HEADS,
            pooled=("Model", "ForSequenceClassification"),
        ),
    },
)
