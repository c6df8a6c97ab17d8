"""ALBERT: all layers of a group share one set of weights."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders

# Weights are those of the groups; the layers that read them are counted by num_hidden_layers.
_BODY = """
embeddings.word_embeddings embedding vocabulary embedded
embeddings.position_embeddings position positions embedded
embeddings.token_type_embeddings embedding types embedded
embeddings.LayerNorm norm+ embedded
encoder.embedding_hidden_mapping_in linear+ hidden embedded
?pooler pooler linear+ hidden hidden
"""

_LAYER = """
full_layer_layer_norm norm+ hidden
attention.{query,key,value,dense} linear+ hidden hidden
attention.LayerNorm norm+ hidden
ffn linear+ ffn hidden
ffn_output linear+ hidden ffn
"""

_PREDICTIONS = """
predictions.bias =bias vocabulary
predictions.LayerNorm norm+ embedded
predictions.dense linear+ embedded hidden
?untied predictions.decoder head+ vocabulary embedded
"""

_HEADS = {
    "ForMaskedLM": _PREDICTIONS,
    "ForPreTraining": _PREDICTIONS + "sop_classifier.classifier linear+ labels hidden",
    "ForSequenceClassification": "classifier linear+ labels hidden",
    "ForTokenClassification": "classifier linear+ labels hidden",
    "ForMultipleChoice": "classifier linear+ 1 hidden",
    "ForQuestionAnswering": "qa_outputs linear+ labels hidden",
}

MEMBER = encoders(
    "albert",
    "ALBERT",
    "transformers 5.24 models/albert",
    {
        "albert": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="encoder.albert_layer_groups.*.albert_layers.*.",
            base="albert.",
            heads=_HEADS,
            dims={"embedded": "embedding_size"},
            pooled=("Model", "ForPreTraining", "ForSequenceClassification", "ForMultipleChoice"),
            shared=("num_hidden_groups", "inner_group_num"),
            stored="embeddings.position_ids =buffer 1 positions",
        )
    },
)
