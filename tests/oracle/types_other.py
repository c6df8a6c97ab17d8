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
