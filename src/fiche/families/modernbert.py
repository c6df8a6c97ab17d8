"""ModernBERT: rotary positions, gated feed-forward, and a norm before attention in all layers but the first."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders

_BODY = """
embeddings.tok_embeddings embedding vocabulary hidden
embeddings.norm norm+norm_bias hidden
final_norm norm+norm_bias hidden
"""

_LAYER = """
attn.Wqkv linear+attention_bias 3*hidden hidden
attn.Wo linear+attention_bias hidden hidden
mlp_norm norm+norm_bias hidden
mlp.Wi linear+mlp_bias 2*ffn hidden
mlp.Wo linear+mlp_bias hidden ffn
"""

_HEAD = """
head.dense linear+classifier_bias hidden hidden
head.norm norm+norm_bias hidden
"""

_HEADS = {
    "ForMaskedLM": _HEAD + "?decoder_bias decoder.bias =bias vocabulary\n"
    "?untied decoder head vocabulary hidden",
    "ForSequenceClassification": _HEAD + "classifier linear+ labels hidden",
    "ForTokenClassification": _HEAD + "classifier linear+ labels hidden",
    "ForQuestionAnswering": _HEAD + "classifier linear+ labels hidden",
    "ForMultipleChoice": _HEAD + "classifier linear+ 1 hidden",
}

MEMBER = encoders(
    "modernbert",
    "ModernBERT",
    "transformers 5.24 models/modernbert",
    {
        "modernbert": Encoder(
            outer=_BODY,
            layer=_LAYER,
            later="attn_norm norm+norm_bias hidden",
            layers="layers.*.",
            base="model.",
            heads=_HEADS,
            dims={"types": ""},
            words={
                word: word
                for word in (
                    "norm_bias",
                    "attention_bias",
                    "mlp_bias",
                    "classifier_bias",
                    "decoder_bias",
                )
            },
            gated=True,
        )
    },
)
