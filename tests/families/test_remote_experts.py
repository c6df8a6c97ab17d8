"""Decoders with experts from code beside their files: published counts, and what their layers hold (A1)."""

import pytest
from families.decoders import exact, model, parameters

DEEPSEEK = {
    "vocab_size": 102400,
    "hidden_size": 2048,
    "intermediate_size": 10944,
    "moe_intermediate_size": 1408,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "n_shared_experts": 2,
    "n_routed_experts": 64,
    "num_experts_per_tok": 6,
    "first_k_dense_replace": 1,
    "moe_layer_freq": 1,
    "tie_word_embeddings": False,
}
GROK = {
    "vocab_size": 131072,
    "hidden_size": 6144,
    "intermediate_size": 32768,
    "num_hidden_layers": 64,
    "num_attention_heads": 48,
    "num_key_value_heads": 8,
    "num_experts": 8,
    "num_experts_per_tok": 2,
    "tie_word_embeddings": False,
}
ARCTIC = {
    "vocab_size": 32000,
    "hidden_size": 7168,
    "intermediate_size": 4864,
    "num_hidden_layers": 35,
    "num_attention_heads": 56,
    "num_key_value_heads": 8,
    "num_local_experts": 128,
    "num_experts_per_tok": 2,
    "moe_layer_frequency": 1,
    "use_residual": True,
    "tie_word_embeddings": False,
}
STEP = {
    "vocab_size": 100,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "head_dim": 16,
    "share_q_dim": 24,
    "share_expert_dim": 40,
    "moe_num_experts": 5,
    "moe_top_k": 2,
    "moe_intermediate_size": 20,
    "tie_word_embeddings": False,
}
LING = {
    "vocab_size": 100,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "num_experts": 5,
    "num_shared_experts": 2,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 20,
    "use_bias": False,
    "use_qkv_bias": False,
    "tie_word_embeddings": False,
}


def test_deepseek_moe_16b():
    found = model("deepseek", **DEEPSEEK)
    assert found.open == ()
    assert parameters(found) == 16_375_728_128  # weights of deepseek-ai/deepseek-moe-16b-base


def test_each_expert_is_a_tensor_of_its_own():
    found = model("deepseek", **DEEPSEEK)
    gates = [each for each in found.parameters if each.name.endswith("experts.*.gate_proj.weight")]
    assert [(exact(each.copies), len(each.layers)) for each in gates if each.role == "expert"] == [
        (27 * 64, 27)
    ]


def test_layers_between_those_with_experts_are_dense():
    found = model("deepseek", **{**DEEPSEEK, "moe_layer_freq": 2})
    by_experts = {block.experts_used is not None: block.layers for block in found.blocks}
    assert by_experts[True] == tuple(range(2, 28, 2))


def test_grok_1():
    """llama.cpp prints 316.49 B for the converted file, with a head of its own."""
    found = model("grok-1", **GROK)
    assert found.open == ()
    assert round(parameters(found) / 10**7) == 31_649
    assert model("grok-1", **{**GROK, "tie_word_embeddings": True}).tied


def test_arctic_is_480_billion_and_a_dense_half_beside():
    """128 experts of 3.66 billion and a dense model of 10 billion (Snowflake's announcement)."""
    found = model("arctic", **ARCTIC)
    assert found.open == ()
    experts = sum(
        exact(group.copies) * exact(group.shape[0]) * exact(group.shape[1])
        for group in found.parameters
        if group.role == "expert"
    )
    assert round(experts / 128 / 10**7) == 366
    assert round((parameters(found) - experts) / 10**9) == 10


def test_step_3_by_hand():
    found = model("step3_text", **STEP)
    assert found.open == ()
    attention = 24 * 64 + 2 * 16 * 64 + 24 + 128 * 24 + 64 * 128 + 2 * 64
    sparse = 5 * 64 + 5 * 3 * 20 * 64 + 3 * 40 * 64
    total = 2 * 100 * 64 + 64 + 4 * attention + 3 * 96 * 64 + 3 * sparse
    assert parameters(found) == total
    (cache,) = found.caches
    assert (exact(cache.kv_heads), exact(cache.key_dim)) == (1, 16)
    listed = model("step3_text", moe_layers_enum="2,3", **STEP)
    assert {block.layers for block in listed.blocks} == {(0, 1), (2, 3)}


def test_ling_by_hand():
    found = model("bailing_moe", **LING)
    assert found.open == ()
    layer = 64 * (128 + 2 * 32) + 128 * 64 + 2 * 64 + 5 * 64 + 5 * 3 * 20 * 64 + 3 * 40 * 64
    assert parameters(found) == 2 * 100 * 64 + 64 + 3 * layer
    biased = model("bailing_moe", **{**LING, "use_qkv_bias": True})
    assert parameters(biased) - parameters(found) == 3 * (128 + 2 * 32)
    assert model("bailing_moe", first_k_dense_replace=1, **LING).open


@pytest.mark.parametrize(
    ("model_type", "values", "key"),
    [("deepseek", DEEPSEEK, "moe_layer_freq"), ("arctic", ARCTIC, "use_residual")],
)
def test_a_key_left_out_is_asked_for(model_type, values, key):
    assert model(model_type, **{name: v for name, v in values.items() if name != key}).open
