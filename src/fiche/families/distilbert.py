"""DistilBERT: half of BERT's layers under names of its own, without token types and pooler."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders

_EMBEDDINGS = """
embeddings.word_embeddings embedding vocabulary hidden
embeddings.position_embeddings position positions hidden
embeddings.LayerNorm norm+ hidden
"""

_LAYER = """
attention.{q,k,v,out}_lin linear+ hidden hidden
sa_layer_norm norm+ hidden
ffn.lin1 linear+ ffn hidden
ffn.lin2 linear+ hidden ffn
output_layer_norm norm+ hidden
"""

_HEADS = {
    "ForMaskedLM": """
vocab_transform linear+ hidden hidden
vocab_layer_norm norm+ hidden
vocab_projector.bias =bias vocabulary
?untied vocab_projector head vocabulary hidden
""",
    "ForSequenceClassification": """
pre_classifier linear+ hidden hidden
classifier linear+ labels hidden
""",
    "ForMultipleChoice": """
pre_classifier linear+ hidden hidden
classifier linear+ 1 hidden
""",
    "ForTokenClassification": "classifier linear+ labels hidden",
    "ForQuestionAnswering": "qa_outputs linear+ labels hidden",
}

MEMBER = encoders(
    "distilbert",
    "DistilBERT",
    "transformers 5.24 models/distilbert",
    {
        "distilbert": Encoder(
            outer=_EMBEDDINGS,
            layer=_LAYER,
            layers="transformer.layer.*.",
            base="distilbert.",
            heads=_HEADS,
            dims={"hidden": "dim", "ffn": "hidden_dim", "heads": "n_heads", "types": ""},
            depth="n_layers",
            stored="embeddings.position_ids =buffer 1 positions",
        )
    },
)
