"""Small configurations of decoder-only text models, with dimensions that all differ.

Each type gets its class's own keys set to small numbers, then each of its flags turned over, one at a
time, and the lists that decide layer by layer.
"""

from __future__ import annotations

from importlib import import_module

# Families of decoders that the library itself has classes for.
FAMILIES = [
    "block_sparse",
    "bloom",
    "cohere",
    "dbrx",
    "deepseek",
    "ernie",
    "gated_moe",
    "gemma",
    "gemma3n",
    "glm",
    "glm_moe",
    "gpt2",
    "hyper",
    "gpt_neo",
    "gpt_neox",
    "gpt_oss",
    "granite_moe",
    "hunyuan",
    "jetmoe",
    "llama",
    "llama4",
    "longcat",
    "mistral",
    "mixtral",
    "modernbert_decoder",
    "nemotron",
    "olmo",
    "opt",
    "phi",
    "qwen",
    "qwen_moe",
    "stablelm",
]

TYPES = sorted(
    model_type
    for name in FAMILIES
    for model_type in import_module(f"fiche.families.{name}").MEMBER.model_types
    if model_type not in {"kimi_k2"}  # a class of its own, that the library does not have
)

# Types whose caches fiche leaves open, for it has no word for what they keep.
OPEN_CACHES = {"deepseek_v4", "minimax_m3_vl_text"}

SMALL = {
    "vocab_size": 211,
    "hidden_size": 96,
    "dff": 140,
    "o_groups": 3,
    "o_lora_rank": 18,
    "n_embd": 96,
    "d_model": 96,
    "intermediate_size": 130,
    "n_inner": 134,
    "ffn_dim": 138,
    "ffn_hidden_size": 142,
    "num_hidden_layers": 7,
    "n_layer": 7,
    "n_layers": 7,
    "num_layers": 7,
    "num_attention_heads": 6,
    "n_head": 6,
    "n_heads": 6,
    "num_heads": 6,
    "num_key_value_heads": 2,
    "num_kv_heads": 2,
    "head_dim": 20,
    "max_position_embeddings": 77,
    "n_positions": 77,
    "n_ctx": 77,
    "max_seq_len": 77,
    "sliding_window": 13,
    "attention_chunk_size": 17,
    "attention_heads": 6,
    "moe_intermediate_size": 38,
    "num_experts": 5,
    "num_local_experts": 5,
    "n_routed_experts": 6,
    "moe_num_experts": 5,
    "num_experts_per_tok": 2,
    "moe_topk": 2,
    "moe_k": 2,
    "n_group": 2,
    "topk_group": 1,
    "n_shared_experts": 2,
    "num_shared_experts": 2,
    "moe_num_shared_experts": 2,
    "shared_expert_intermediate_size": 44,
    "shared_intermediate_size": 46,
    "kv_lora_rank": 40,
    "q_lora_rank": 24,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 12,
    "v_head_dim": 14,
    "index_n_heads": 3,
    "index_head_dim": 22,
    "first_k_dense_replace": 2,
    "max_window_layers": 3,
}

# Flags that change no shape and break the library or the comparison when turned over.
FIXED = {"is_decoder", "is_encoder_decoder", "add_cross_attention", "use_cache"}

# What a type needs beside the usual small numbers.
NEEDS: dict[str, dict[str, object]] = {
    "dbrx": {
        "attn_config": {"kv_n_heads": 2, "rope_theta": 10000},
        "ffn_config": {"moe_num_experts": 5, "moe_top_k": 2, "ffn_hidden_size": 50},
    },
    "ernie4_5_vl_moe_text": {
        "moe_intermediate_size": [38, 26],
        "hidden_size": 256,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
    },
    "cosmos3_edge_text": {"head_dim": 128},
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense", *["sparse"] * 6]},
    # The library keeps room for experts without weights; a checkpoint has none to fill it.
    "longcat_flash": {"zero_expert_num": 0},
    "gemma3n_text": {"num_kv_shared_layers": 2, "vocab_size_per_layer_input": 60},
    "gemma4_text": {"num_kv_shared_layers": 1, "vocab_size_per_layer_input": 60},
    "gpt_neo": {"attention_types": [[["global", "local"], 3], [["global"], 1]]},
    "hunyuan_v1_dense": {"head_dim": 20},
    "hunyuan_v1_moe": {"head_dim": 20},
    "hunyuan_vl_text": {"head_dim": 20},
    "ministral": {"head_dim": 20},
    "nemotron": {"head_dim": 20},
}

_SLIDES = [
    "full_attention",
    *["sliding_attention"] * 3,
    "full_attention",
    *["sliding_attention"] * 2,
]

_GEMMA4 = [
    {"num_experts": 5, "moe_intermediate_size": 38, "enable_moe_block": True},
    {"attention_k_eq_v": True, "num_global_key_value_heads": 3},
    {"global_head_dim": 28, "num_kv_shared_layers": 0},
    {"use_double_wide_mlp": True, "num_kv_shared_layers": 1},
    {"per_layer_config": {"1": {"head_dim": 30}, "6": {"head_dim": 36, "num_key_value_heads": 3}}},
    {
        "layer_types": ["full_attention", "sliding_attention", "sliding_attention"] * 2
        + ["sliding_attention"]
    },
    {"use_bidirectional_attention": "all"},
    {"hidden_size_per_layer_input": 0},
]

# Structures that no single flag turns on.
MORE: dict[str, list[dict[str, object]]] = {
    "minimax_m3_vl_text": [
        {"layer_types": ["full_attention"] * 3 + ["minimax_m3_sparse"] * 4},
        {"mlp_layer_types": ["dense"] * 3 + ["sparse"] * 4},
        {"sparse_attention_config": {"sparse_attention_freq": [0, 0, 1, 1, 1, 1, 1]}},
        {"moe_layer_freq": [0, 0, 1, 1, 1, 1, 1]},
    ],
    "step3p5": [
        {"num_sliding_attention_heads": 8, "sliding_window": 13, "layer_types": _SLIDES},
        {"moe_layers_enum": "2,4,5", "attention_other_setting": {"num_attention_heads": 4}},
    ],
    "modernbert-decoder": [{"local_attention": 20}],
    "deepseek_v4": [
        {"compress_ratios": [0, 0, 4, 128, 4, 128, 0], "num_hash_layers": 1},
        {"compress_rate_hca": 20, "compress_rate_csa": 6},
        {"compress_rates": {"compressed_sparse_attention": 5, "heavily_compressed_attention": 21}},
    ],
    "hy_v4": [{"indexer_types": ["full", "shared", "shared"] * 2 + ["full"]}],
    "llama": [
        {"architectures": ["LlamaForSequenceClassification"], "id2label": {"0": "LABEL_0"}},
        {"architectures": ["LlamaModel"]},
    ],
    "gpt2": [
        {"architectures": ["GPT2ForSequenceClassification"], "num_labels": 3},
        {"architectures": ["GPT2Model"]},
    ],
    "gemma": [{"architectures": ["GemmaForSequenceClassification"]}],
    "mixtral": [{"architectures": ["MixtralModel"]}],
    "opt": [{"architectures": ["OPTModel"]}, {"word_embed_proj_dim": 50}],
    "bloom": [{"architectures": ["BloomForSequenceClassification"]}],
    "gemma3n_text": [
        {"intermediate_size": [30, 31, 30, 30, 32, 31, 31]},
        {"num_kv_shared_layers": 0},
    ],
    "gemma4_text": _GEMMA4,
    "gemma4_unified_text": _GEMMA4,
    "gemma3_text": [{"sliding_window_pattern": 3}],
    "cohere2": [{"sliding_window_pattern": 2}],
    "cwm": [{"sliding_window": None}],
    "laguna": [{"num_attention_heads_per_layer": [4, 6, 6, 4, 4, 6, 6]}, {"gating": "per-element"}],
    "falcon": [{"new_decoder_architecture": True, "num_ln_in_parallel_attn": 1}],
    "qwen2": [{"use_sliding_window": True}, {"use_sliding_window": True, "max_window_layers": 0}],
    "qwen3": [{"architectures": ["Qwen3Model"]}, {"use_sliding_window": True}],
    "qwen3_moe": [
        {"use_sliding_window": True},
        {"mlp_only_layers": [0, 3]},
        {"decoder_sparse_step": 2},
    ],
    "qwen2_moe": [
        {"use_sliding_window": True},
        {"mlp_only_layers": [0, 3]},
        {"decoder_sparse_step": 2},
    ],
    "smollm3": [
        {"use_sliding_window": True, "sliding_window": 13},
        {"use_sliding_window": True, "sliding_window": 13, "no_rope_layers": [1, 0, 0, 1, 1, 0, 1]},
    ],
    "llama4_text": [
        {"moe_layers": [1, 4]},
        {"interleave_moe_layer_step": 2},
        {"attention_chunk_size": None},
        {"no_rope_layers": [1, 0, 0, 1, 1, 0, 1]},
    ],
    "glm_moe_dsa": [
        {"index_topk_freq": 3},
        {"indexer_types": ["full", "full", "shared"] * 2 + ["full"]},
    ],
    "ernie4_5_moe": [
        {"moe_layer_interval": 2, "moe_layer_end_index": 4},
        {"moe_num_shared_experts": 0},
    ],
    "granitemoeshared": [{"shared_intermediate_size": 0}],
    "mistral": [
        {"architectures": ["MistralModel"]},
        {"sliding_window": None},
        {"layer_types": ["full_attention"] * 7},
    ],
    "deepseek_v3": [{"q_lora_rank": None}],
    "deepseek_v2": [{"q_lora_rank": None}],
    "cohere2_moe": [
        {"num_shared_experts": 2},
        {"first_k_dense_replace": 2, "prefix_dense_intermediate_size": 62},
    ],
    "exaone4": [{"sliding_window": None, "layer_types": ["full_attention"] * 7}],
    "dots1": [{"sliding_window": None}],
}


def small(model_type, defaults):
    """The smallest configuration of a type, every width another number."""
    chosen = {key: value for key, value in SMALL.items() if key in defaults}
    return {"model_type": model_type, "pad_token_id": 0, **chosen, **NEEDS.get(model_type, {})}


def configurations(model_type, defaults):
    """The small configuration, then one with each flag turned over, then lists by layer."""
    base = small(model_type, defaults)
    yield base
    for key, value in defaults.items():
        if isinstance(value, bool) and key not in FIXED:
            yield {**base, key: not value}
    for key in ("num_key_value_heads", "head_dim", "sliding_window", "q_lora_rank"):
        if key in defaults and defaults[key] is None:
            yield {name: value for name, value in base.items() if name != key}
    if "layer_types" in defaults and "sliding_window" in defaults:
        pattern = ["full_attention", "sliding_attention", "sliding_attention"]
        switch = {"use_sliding_window": True} if "use_sliding_window" in defaults else {}
        yield {**base, **switch, "layer_types": (pattern * 3)[:7]}
    yield from ({**base, **each} for each in MORE.get(model_type, ()))
    if "mlp_layer_types" in defaults:
        yield {**base, "mlp_layer_types": (["sparse", "dense"] * 4)[:7]}
