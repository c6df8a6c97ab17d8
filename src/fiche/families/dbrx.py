"""DBRX: attention and its two norms in one module, experts in one matrix each way."""

from __future__ import annotations

from collections.abc import Callable

from fiche.families._decoder import Decoder, family
from fiche.families._dims import Dims
from fiche.families._tables import HEAD
from fiche.kernel.figure import Node


def _inside(part: str, key: str) -> Callable[[Dims], Node]:
    def read(dims: Dims) -> Node:
        inside = dims.config.part(part)
        return dims.config.number(key) if inside is None else inside.number(key)

    return read


_OUTER = f"""
transformer.wte embedding vocabulary hidden
transformer.norm_f norm hidden
{HEAD}
"""

_ATTENTION = """
norm_attn_norm.norm_{1,2} norm hidden
norm_attn_norm.attn.Wqkv linear hidden+2*kv hidden
norm_attn_norm.attn.out_proj linear hidden hidden
"""

_EXPERTS = """
ffn.router.layer router experts hidden
ffn.experts.mlp.{w1,v1,w2} =expert experts*expert_ffn hidden
"""

KINDS = {
    "dbrx": Decoder(
        outer=_OUTER,
        attention=_ATTENTION,
        layer="",
        sparse=_EXPERTS,
        prefix="transformer.blocks.*.",
        dims={
            "head": "hidden/heads",
            "kv_heads": _inside("attn_config", "kv_n_heads"),
            "experts": _inside("ffn_config", "moe_num_experts"),
            "experts_used": _inside("ffn_config", "moe_top_k"),
            "expert_ffn": _inside("ffn_config", "ffn_hidden_size"),
        },
    ),
}

MEMBER = family("dbrx", "DBRX", "transformers 5.24.0, modeling_dbrx.py", KINDS)
