"""Llama and the decoders built like it: rotary attention with grouped heads, a gated feed-forward."""

from __future__ import annotations

from collections.abc import Iterable
from math import isqrt

from fiche.families._decoder import family
from fiche.families._dims import Dims
from fiche.families._kinds import BIAS, LLAMA
from fiche.families._reach import first_of, where_not_rotary
from fiche.families._rows import fixed
from fiche.families._tables import (
    ATTENTION,
    HEAD_NORMS,
    NORMS,
    OUTER,
    SINKS,
    UP_DOWN,
)
from fiche.kernel.config import Config
from fiche.kernel.figure import Node
from fiche.kernel.record import replace

_DIFFERENTIAL = """
self_attn.lambda_{q1,k1,q2,k2} =norm head
"""

# DOGE: learned mixing of the residual, and a gate over keys and values.
_DOGE_ATTENTION = f"""
{ATTENTION}
{HEAD_NORMS}
self_attn.A =norm kv_heads
self_attn.dt_proj linear+qkv_bias kv_heads kv
"""

_DOGE_LAYER = f"""
{NORMS}
input_residual =norm hidden
post_attention_residual =norm hidden
?experts mlp.router_gate router 2*keys hidden
?experts mlp.{{down,up}}_embed embedding experts hidden
"""


def _doge_keys(dims: Dims) -> Node:
    """Experts lie in a square, found by two keys: its side, rounded down."""
    experts = dims.config.whole("num_experts")
    return dims["experts"] if experts is None else fixed(isqrt(max(experts, 0)))


_MOLMO_NORMS = """
?head_norms self_attn.{q,k}_norm norm head
!head_norms self_attn.q_norm norm query
!head_norms self_attn.k_norm norm kv
"""


def _molmo(config: Config) -> Iterable[str]:
    if config.text("qk_norm_type") == "qwen3":
        yield "head_norms"


KINDS = {
    "llama": LLAMA,
    "arcee": replace(LLAMA, dense=UP_DOWN, gated=False),
    "cosmos3_edge_text": replace(
        LLAMA, dense=UP_DOWN.replace("up_proj", "fc1").replace("down_proj", "fc2"), gated=False
    ),
    "cwm": replace(LLAMA, reach=first_of(4), words=("mlp_bias=mlp_bias",)),
    "diffllama": replace(LLAMA, attention=ATTENTION + _DIFFERENTIAL, words=BIAS),
    "doge": replace(
        LLAMA,
        attention=_DOGE_ATTENTION,
        layer=_DOGE_LAYER,
        words=(*LLAMA.words, "experts=is_moe"),
        dims={"experts": "num_experts", "keys": _doge_keys},
    ),
    "emu3_text_model": LLAMA,
    "ernie4_5": replace(LLAMA, words=("qkv_bias=use_bias", "o_bias=use_bias", "mlp_bias=use_bias")),
    "exaone": LLAMA,
    "granite": LLAMA,
    "granite4_vision_text": LLAMA,
    "granite_docling_text": LLAMA,
    "granite_swa": replace(LLAMA, attention=ATTENTION + SINKS, reach=first_of(4)),
    # Its output projection is square, whatever the heads' width.
    "helium": replace(
        LLAMA,
        attention=ATTENTION.replace("hidden query", "hidden hidden"),
        words=("qkv_bias=attention_bias", "mlp_bias=mlp_bias"),
    ),
    "hunyuan_v1_dense": replace(
        LLAMA,
        attention=ATTENTION + "self_attn.{query,key}_layernorm norm head",
        words=BIAS,
    ),
    "hunyuan_vl_text": replace(
        LLAMA,
        attention=ATTENTION + "self_attn.{query,key}_layernorm norm head",
        words=BIAS,
    ),
    "hyperclovax": replace(
        LLAMA,
        layer=NORMS + "?post_norm post_norm{1,2} norm hidden",
        words=(*LLAMA.words, "post_norm=use_post_norm"),
    ),
    "internlm3": replace(
        LLAMA,
        words=(
            "qkv_bias=qkv_bias|attention_bias",
            "o_bias=bias|attention_bias",
            "mlp_bias=bias|mlp_bias",
        ),
    ),
    "iquestcoder": LLAMA,
    "jais2": replace(LLAMA, dense=UP_DOWN, gated=False, words=(*LLAMA.words, "norm_bias")),
    "molmo2_text": replace(
        LLAMA,
        outer=OUTER.replace("vocabulary", "vocabulary+further_vocabulary", 1),
        attention=ATTENTION + _MOLMO_NORMS,
        words=("qkv_bias=attention_bias",),
        dims={"further_vocabulary": "additional_vocab_size"},
        more_words=_molmo,
    ),
    "paddleocr_vl_text": replace(
        LLAMA, words=("qkv_bias=use_bias", "o_bias=use_bias", "mlp_bias=use_bias")
    ),
    "seed_oss": replace(
        LLAMA,
        words=("qkv_bias=attention_bias", "o_bias=attention_out_bias", "mlp_bias=mlp_bias"),
    ),
    "smollm3": replace(LLAMA, reach=where_not_rotary),
}

MEMBER = family(
    "llama",
    "Llama and decoders built like it",
    "transformers 5.24.0, modeling_llama.py and those generated from it",
    KINDS,
)
