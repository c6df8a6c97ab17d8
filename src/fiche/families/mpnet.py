"""MPNet: BERT without token types, with one table of relative positions for all layers."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders

_BODY = """
embeddings.word_embeddings embedding vocabulary hidden
embeddings.position_embeddings position positions hidden
embeddings.LayerNorm norm+ hidden
encoder.relative_attention_bias position buckets heads
?pooler pooler.dense linear+ hidden hidden
"""

_LAYER = """
attention.attn.{q,k,v,o} linear+ hidden hidden
attention.LayerNorm norm+ hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
output.LayerNorm norm+ hidden
"""

_HEADS = {
    "ForMaskedLM": """
lm_head.bias =bias vocabulary
lm_head.dense linear+ hidden hidden
lm_head.layer_norm norm+ hidden
?untied lm_head.decoder head+ vocabulary hidden
""",
    "ForSequenceClassification": """
classifier.dense linear+ hidden hidden
classifier.out_proj linear+ labels hidden
""",
    "ForTokenClassification": "classifier linear+ labels hidden",
    "ForMultipleChoice": "classifier linear+ 1 hidden",
    "ForQuestionAnswering": "qa_outputs linear+ labels hidden",
}

MEMBER = encoders(
    "mpnet",
    "MPNet",
    "transformers 5.24 models/mpnet",
    {
        "mpnet": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="encoder.layer.*.",
            base="mpnet.",
            heads=_HEADS,
            dims={"types": "", "buckets": "relative_attention_num_buckets"},
            pooled=("Model", "ForMultipleChoice"),
            stored="embeddings.position_ids =buffer 1 positions",
        )
    },
)
