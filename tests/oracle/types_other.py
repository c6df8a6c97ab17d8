"""Small configurations of models that are not plain decoders, no two dimensions alike where they differ.

Each entry: model type, class of transformers, keys of the configuration.
"""

TYPES: list[tuple[str, str, dict]] = []


def _add(model_type, *classes, **keys):
    TYPES.extend((model_type, each, keys) for each in classes)


# --- State spaces and hybrids ---------------------------------------------------------------------

_SMALL = {"hidden_size": 16, "vocab_size": 37}
_ATTENTION = {"num_attention_heads": 4, "num_key_value_heads": 2}
_MIXER = {"mamba_n_heads": 4, "mamba_d_head": 8, "mamba_d_state": 5, "mamba_n_groups": 1}

for _name, _class in (("mamba", "MambaForCausalLM"), ("falcon_mamba", "FalconMambaForCausalLM")):
    for _more in ({"use_bias": True, "use_conv_bias": False}, {"time_step_rank": 3}):
        _add(
            _name, _class, hidden_size=14, num_hidden_layers=3, vocab_size=37, state_size=5, **_more
        )
for _more in ({}, {"use_bias": True, "tie_word_embeddings": True}):
    _add(
        "mamba2", "Mamba2ForCausalLM", **_SMALL, num_hidden_layers=3, state_size=5, num_heads=4, head_dim=8,
        n_groups=2, **_more,
    )  # fmt: skip
for _more in ({"mamba_dt_rank": 7}, {"num_experts": 1, "mamba_proj_bias": True}):
    _add(
        "jamba", "JambaForCausalLM", **_SMALL, **_ATTENTION, num_hidden_layers=8, intermediate_size=22,
        mamba_d_state=5, **{"num_experts": 3, **_more},
    )  # fmt: skip
for _more in (
    {"attn_layer_indices": [1]},
    {"attention_bias": True, "mlp_bias": True, "mamba_proj_bias": True},
):
    _add(
        "bamba", "BambaForCausalLM", **_SMALL, **_ATTENTION, **_MIXER, num_hidden_layers=3,
        intermediate_size=22, **_more,
    )  # fmt: skip
for _experts in (3, 0):
    _add(
        "granitemoehybrid", "GraniteMoeHybridForCausalLM", **_SMALL, **_ATTENTION, **_MIXER,
        intermediate_size=22, num_hidden_layers=3, layer_types=["mamba", "attention", "mamba"],
        num_local_experts=_experts, shared_intermediate_size=11,
    )  # fmt: skip
for _more in (
    {"num_mem_blocks": 2, "use_shared_attention_adapter": True},
    {"add_bias_linear": True},
):
    _add(
        "zamba2", "Zamba2ForCausalLM", **_SMALL, num_hidden_layers=7, intermediate_size=22,
        num_attention_heads=4, mamba_d_state=5, n_mamba_heads=4, adapter_rank=3,
        layers_block_type=["mamba", "mamba", "hybrid", "mamba", "hybrid", "mamba", "hybrid"], **_more,
    )  # fmt: skip
for _more in ({}, {"moe_latent_size": 6, "use_bias": True, "mlp_bias": True}):
    _add(
        "nemotron_h", "NemotronHForCausalLM", hidden_size=18, vocab_size=37, intermediate_size=22,
        hybrid_override_pattern="M-M*ME", num_hidden_layers=6, **_ATTENTION, head_dim=6, mamba_num_heads=4,
        mamba_head_dim=5, n_groups=2, ssm_state_size=7, n_routed_experts=3, moe_intermediate_size=10,
        moe_shared_expert_intermediate_size=12, **_more,
    )  # fmt: skip
for _more in ({"mamba_d_ssm": 24, "mamba_d_head": 6}, {"mamba_d_ssm": None, "mamba_d_head": "auto", "mamba_rms_norm": True,
              "attention_bias": True, "projectors_bias": True, "mamba_proj_bias": True, "mlp_bias": True}):  # fmt: skip
    _add(
        "falcon_h1", "FalconH1ForCausalLM", **_SMALL, **_ATTENTION, intermediate_size=22, num_hidden_layers=2,
        mamba_n_heads=4, mamba_d_state=5, mamba_n_groups=1, **_more,
    )  # fmt: skip
_CONV = {"layer_types": ["conv", "full_attention", "conv"], "num_hidden_layers": 3}
for _more in (
    {"block_auto_adjust_ff_dim": False, "conv_bias": True},
    {"intermediate_size": 600},
    {
        "intermediate_size": 600,
        "block_ffn_dim_multiplier": 1.5,
        "layer_types": None,
        "full_attn_idxs": [1],
    },
):
    _add(
        "lfm2",
        "Lfm2ForCausalLM",
        **{**_SMALL, **_ATTENTION, **_CONV, "intermediate_size": 22, **_more},
    )
_add(
    "lfm2_moe", "Lfm2MoeForCausalLM", **_SMALL, **_ATTENTION, **_CONV, intermediate_size=22,
    moe_intermediate_size=10, num_experts=3, num_dense_layers=1,
)  # fmt: skip
_GDN = {
    "num_hidden_layers": 4, "head_dim": 6, "linear_num_value_heads": 4, "linear_num_key_heads": 2,
    "linear_key_head_dim": 5, "linear_value_head_dim": 7,
}  # fmt: skip
_MOE = {"moe_intermediate_size": 10, "shared_expert_intermediate_size": 12, "num_experts": 3}
for _more in (
    {"mlp_only_layers": [1]},
    {"decoder_sparse_step": 2, "attention_bias": True, "full_attention_interval": 2},
):
    _add(
        "qwen3_next",
        "Qwen3NextForCausalLM",
        **_SMALL,
        **_ATTENTION,
        **_GDN,
        **_MOE,
        intermediate_size=22,
        **_more,
    )
_add("qwen3_5_text", "Qwen3_5ForCausalLM", **_SMALL, **_ATTENTION, **_GDN, intermediate_size=22)
_add("qwen3_5_moe_text", "Qwen3_5MoeForCausalLM", **_SMALL, **_ATTENTION, **_GDN, **_MOE)
for _more in (
    {"q_lora_rank": 9, "attention_bias": True},
    {"linear_attn_config": {"full_attn_layers": [2], "kda_layers": [1, 3], "head_dim": 5, "num_heads": 3,
                            "short_conv_kernel_size": 3}, "first_k_dense_replace": 2},
):  # fmt: skip
    _add(
        "kimi_linear", "KimiLinearForCausalLM", **_SMALL, num_attention_heads=4, num_hidden_layers=3,
        intermediate_size=22, moe_intermediate_size=10, num_experts=3, kv_lora_rank=7, qk_rope_head_dim=2,
        qk_nope_head_dim=3, v_head_dim=6, linear_num_heads=3, linear_head_dim=5, pad_token_id=0, **_more,
    )  # fmt: skip
_add(
    "minimax", "MiniMaxForCausalLM", **_SMALL, **_ATTENTION, intermediate_size=22, num_hidden_layers=4, head_dim=6,
    num_local_experts=3,
)  # fmt: skip
_add(
    "recurrent_gemma", "RecurrentGemmaForCausalLM", **_SMALL, **_ATTENTION, intermediate_size=22,
    num_hidden_layers=4, lru_width=20,
)  # fmt: skip
for _more in ({}, {"attention_hidden_size": 18, "intermediate_size": 22}):
    _add("rwkv", "RwkvForCausalLM", **_SMALL, num_hidden_layers=3, **_more)
_add(
    "olmo_hybrid", "OlmoHybridForCausalLM", **_SMALL, **_ATTENTION, intermediate_size=22, num_hidden_layers=4,
    pad_token_id=0,
)  # fmt: skip
