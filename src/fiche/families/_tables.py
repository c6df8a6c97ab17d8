"""Tables that many decoders share: rows as `_rows` reads them."""

from __future__ import annotations

HEAD = """
!tied lm_head head+head_bias vocabulary hidden
?tied ?head_bias lm_head.bias =bias vocabulary
"""

OUTER = f"""
model.embed_tokens embedding vocabulary hidden
model.norm norm+norm_bias hidden
{HEAD}
"""

ATTENTION = """
self_attn.q_proj linear+qkv_bias query hidden
self_attn.{k,v}_proj linear+qkv_bias kv hidden
self_attn.o_proj linear+o_bias hidden query
"""

# One normalisation over the width of a head, whatever the head.
HEAD_NORMS = """
self_attn.{q,k}_norm norm head
"""

# One over the widths of all heads together.
WIDE_NORMS = """
self_attn.q_norm norm query
self_attn.k_norm norm kv
"""

SINKS = """
self_attn.sinks =norm heads
"""

NORMS = """
{input,post_attention}_layernorm norm+norm_bias hidden
"""

FOUR_NORMS = """
{input,post_attention,pre_feedforward,post_feedforward}_layernorm norm hidden
"""

GATED = """
mlp.{gate,up}_proj linear+mlp_bias ffn hidden
mlp.down_proj linear+mlp_bias hidden ffn
"""

FUSED_GATED = """
mlp.gate_up_proj linear 2*ffn hidden
mlp.down_proj linear hidden ffn
"""

UP_DOWN = """
mlp.up_proj linear+mlp_bias ffn hidden
mlp.down_proj linear+mlp_bias hidden ffn
"""

# Experts as the library fuses them: one matrix an expert, gate and up projections in one tensor.
EXPERTS = """
mlp.experts.gate_up_proj =expert experts 2*expert_ffn hidden
mlp.experts.down_proj =expert experts hidden expert_ffn
mlp.gate router experts hidden
"""

CORRECTION = """
mlp.gate.e_score_correction_bias =buffer experts
"""

SHARED = """
mlp.shared_experts.{gate,up}_proj linear+mlp_bias shared_ffn hidden
mlp.shared_experts.down_proj linear+mlp_bias hidden shared_ffn
"""

# Keys and values compressed into one vector a token (MLA); queries too where they have a rank.
LATENT = """
?query_rank self_attn.q_a_proj linear+qkv_bias query_rank hidden
?query_rank self_attn.q_a_layernorm norm query_rank
?query_rank self_attn.q_b_proj linear keys query_rank
!query_rank self_attn.q_proj linear keys hidden
self_attn.kv_a_proj_with_mqa linear+qkv_bias latent+rope hidden
self_attn.kv_a_layernorm norm latent
self_attn.kv_b_proj linear heads*nope+values latent
self_attn.o_proj linear+o_bias hidden values
"""

LATENT_DIMS = {
    "latent": "kv_lora_rank",
    "rope": "qk_rope_head_dim",
    "nope": "qk_nope_head_dim",
    "query_rank": "q_lora_rank",
    "value": "v_head_dim",
    "key": "nope+rope",
    "keys": "heads*key",
    "values": "heads*value",
}

# The sparse indexer of DeepSeek V3.2: its own small keys, one vector a token.
INDEXER = """
?indexer self_attn.indexer.wq_b linear index_heads*index_head query_rank
?indexer self_attn.indexer.wk linear index_head hidden
?indexer self_attn.indexer.k_norm norm+ index_head
?indexer self_attn.indexer.weights_proj linear index_heads hidden
"""

INDEXER_DIMS = {"index_heads": "index_n_heads", "index_head": "index_head_dim"}
