"""ESM-2: protein language models, norms before attention and feed-forward."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.kernel.config import Config
from fiche.kernel.figure import floor

_BODY = """
embeddings.word_embeddings embedding vocabulary hidden
?absolute embeddings.position_embeddings position positions hidden
?norm_before embeddings.layer_norm norm+ hidden
encoder.emb_layer_norm_after norm+ hidden
contact_head.regression linear+ 1 contacts
?rotary rotary_embeddings.inv_freq =buffer half_head
?pooler pooler.dense linear+ hidden hidden
"""

_LAYER = """
attention.self.{query,key,value} linear+ hidden hidden
attention.output.dense linear+ hidden hidden
attention.LayerNorm norm+ hidden
intermediate.dense linear+ ffn hidden
output.dense linear+ hidden ffn
LayerNorm norm+ hidden
"""

_HEADS = {
    "ForMaskedLM": """
lm_head.bias =bias vocabulary
lm_head.dense linear+ hidden hidden
lm_head.layer_norm norm+ hidden
?untied lm_head.decoder head vocabulary hidden
""",
    "ForSequenceClassification": """
classifier.dense linear+ hidden hidden
classifier.out_proj linear+ labels hidden
""",
    "ForTokenClassification": "classifier linear+ labels hidden",
}


def _words(config: Config) -> tuple[str, ...]:
    kind = config.text("position_embedding_type") or "absolute"
    return (kind, *(["norm_before"] if config.flag("emb_layer_norm_before") else []))


def _doubts(config: Config) -> tuple[str, ...]:
    if config.flag("is_folding_model"):
        return ("a folding trunk is not understood here: give the model's tensors",)
    return ()


MEMBER = encoders(
    "esm",
    "ESM-2",
    "transformers 5.24 models/esm",
    {
        "esm": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="encoder.layer.*.",
            base="esm.",
            heads=_HEADS,
            dims={
                "types": "",
                "contacts": lambda config: (
                    config.number("num_hidden_layers") * config.number("num_attention_heads")
                ),
                "half_head": lambda config: floor(
                    config.number("hidden_size") / config.number("num_attention_heads") / 2
                ),
            },
            more=_words,
            doubts=_doubts,
            stored="embeddings.position_ids =buffer 1 positions",
        )
    },
)
