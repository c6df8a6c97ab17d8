"""JetMoE: experts in attention as in the feed-forward; keys and values are shared by the experts."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims
from fiche.families._experts import EXPERT_DIMS
from fiche.families._tables import NORMS, OUTER
from fiche.kernel.figure import Node


def _heads(dims: Dims) -> Node:
    """Query heads: key-value heads times the experts that see a token."""
    return dims["kv_heads"] * dims["experts_used"]


_ATTENTION = """
self_attention.experts.bias =bias hidden
self_attention.experts.input_linear.weight =expert experts kv hidden
self_attention.experts.output_linear.weight =expert experts hidden kv
self_attention.experts.router.layer router experts hidden
self_attention.kv_proj linear 2*kv hidden
"""

_EXPERTS = """
mlp.bias =bias hidden
mlp.input_linear.weight =expert experts 2*expert_ffn hidden
mlp.output_linear.weight =expert experts hidden expert_ffn
mlp.router.layer router experts hidden
"""

KINDS = {
    "jetmoe": Decoder(
        outer=OUTER,
        attention=_ATTENTION,
        layer=NORMS,
        sparse=_EXPERTS,
        dims={
            **EXPERT_DIMS,
            "expert_ffn": "intermediate_size",
            "head": "kv_channels",
            "kv_heads": "num_key_value_heads",
            "heads": _heads,
        },
    ),
}

MEMBER = family("jetmoe", "JetMoE", "transformers 5.24.0, modeling_jetmoe.py", KINDS)
