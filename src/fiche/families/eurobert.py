"""EuroBERT: a Llama body that sees both ways."""

from __future__ import annotations

from fiche.families._encoder import Encoder, encoders
from fiche.families._state import head_width, key_value_heads
from fiche.kernel.config import Config
from fiche.kernel.figure import Node

_BODY = """
embed_tokens embedding vocabulary hidden
norm norm hidden
"""

_LAYER = """
self_attn.q_proj linear+attention_bias query hidden
self_attn.{k,v}_proj linear+attention_bias kv hidden
self_attn.o_proj linear+attention_bias hidden query
mlp.{gate,up}_proj linear+mlp_bias ffn hidden
mlp.down_proj linear+mlp_bias hidden ffn
input_layernorm norm hidden
post_attention_layernorm norm hidden
"""


def _query(config: Config) -> Node:
    return config.number("num_attention_heads") * head_width(config)


MEMBER = encoders(
    "eurobert",
    "EuroBERT",
    "transformers 5.24 models/eurobert",
    {
        "eurobert": Encoder(
            outer=_BODY,
            layer=_LAYER,
            layers="layers.*.",
            base="model.",
            heads={
                "ForMaskedLM": "?untied lm_head head+mlp_bias vocabulary hidden",
                "ForTokenClassification": "classifier linear+ labels hidden",
                "ForSequenceClassification": """
dense linear+ hidden hidden
classifier linear+ labels hidden
""",
            },
            dims={
                "types": "",
                "query": _query,
                "kv": lambda config: key_value_heads(config) * head_width(config),
            },
            words={"attention_bias": "attention_bias", "mlp_bias": "mlp_bias"},
            gated=True,
        )
    },
)
