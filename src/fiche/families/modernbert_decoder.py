"""ModernBERT as a decoder: windows in two of three layers, and a head of two steps."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims
from fiche.families._reach import FULL, SLIDING
from fiche.families._rows import Place, fixed, rows
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import Parameters

_OUTER = """
model.embeddings.tok_embeddings embedding vocabulary hidden
model.embeddings.norm norm+norm_bias hidden
model.final_norm norm+norm_bias hidden
lm_head.dense linear+head_bias hidden hidden
lm_head.norm norm+norm_bias hidden
!tied decoder head vocabulary hidden
?decoder_bias decoder.bias =bias vocabulary
"""

_ATTENTION = """
attn.{q,k,v}_proj linear+qkv_bias hidden hidden
attn.Wo linear+qkv_bias hidden hidden
"""

_LAYER = """
mlp_norm norm+norm_bias hidden
mlp.Wi linear+mlp_bias 2*ffn hidden
mlp.Wo linear+mlp_bias hidden ffn
"""


def _reach(config: Config, layers: int) -> list[str]:
    step = max(config.whole("global_attn_every_n_layers") or 3, 1)
    return [SLIDING if index % step else FULL for index in range(layers)]


def _first_normed_once(layer: Place) -> tuple[Parameters, ...]:
    """All layers but the first, whose input the embedding has normed."""
    later = (layer.layers or ())[1:]
    count = layer.count - 1 if later else fixed(0)
    return rows("attn_norm norm+norm_bias hidden", layer.over("", later, count))


def _half(dims: Dims) -> Node:
    """Half of the window to each side: what lies behind a token."""
    return floor(dims.config.number("local_attention") / 2)


KINDS = {
    "modernbert-decoder": Decoder(
        outer=_OUTER,
        attention=_ATTENTION,
        layer="",
        dense=_LAYER,
        words=(
            "qkv_bias=attention_bias",
            "mlp_bias=mlp_bias",
            "norm_bias=norm_bias",
            "head_bias=classifier_bias",
            "decoder_bias=decoder_bias",
        ),
        dims={"head": "hidden/heads", "kv_heads": lambda dims: dims["heads"], "window": _half},
        reach=_reach,
        further=_first_normed_once,
    ),
}

MEMBER = family(
    "modernbert_decoder",
    "ModernBERT as a decoder",
    "transformers 5.24 models/modernbert_decoder",
    KINDS,
)
