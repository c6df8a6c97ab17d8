"""Nomic BERT, GTE and Jina embeddings 3: BERT's order of norms with rotary positions."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders

_BODY = """
embeddings.word_embeddings embedding vocabulary hidden
embeddings.token_type_embeddings embedding types hidden
embeddings.LayerNorm norm+ hidden
?pooler pooler.dense linear+ hidden hidden
"""

_NORMS = """
post_attention_layernorm norm+ hidden
post_mlp_layernorm norm+ hidden
"""

_NOMIC = """
self_attn.{q,k,v,o}_proj linear hidden hidden
mlp.{gate,up}_proj linear ffn hidden
mlp.down_proj linear hidden ffn
"""

_GTE = """
self_attn.{q,k,v,o}_proj linear+ hidden hidden
mlp.{gate,up}_proj linear ffn hidden
mlp.down_proj linear+ hidden ffn
"""

_JINA = """
self_attn.{q,k,v,o}_proj linear+ hidden hidden
mlp.fc1 linear+ ffn hidden
mlp.fc2 linear+ hidden ffn
"""

_PREDICTIONS = """
cls.predictions.bias =bias vocabulary
cls.predictions.transform.dense linear+ hidden hidden
cls.predictions.transform.layer_norm norm+ hidden
"""


def _kind(layer: str, base: str, heads: dict[str, str], *, gated: bool, pooled: bool) -> Encoder:
    return Encoder(
        outer=_BODY,
        layer=_NORMS + layer,
        layers="layers.*.",
        base=base,
        heads=heads,
        pooled=("Model",) if pooled else (),
        gated=gated,
    )


MEMBER = encoders(
    "nomic_bert",
    "Nomic BERT, GTE, Jina embeddings 3",
    "transformers 5.24 models/nomic_bert, gte, jina_embeddings_v3",
    {
        "nomic_bert": _kind(
            _NOMIC, "nomic_bert.", {"ForMaskedLM": _PREDICTIONS}, gated=True, pooled=False
        ),
        "gte": _kind(_GTE, "gte.", {}, gated=True, pooled=False),
        "jina_embeddings_v3": _kind(_JINA, "roberta.", {}, gated=False, pooled=True),
    },
)
