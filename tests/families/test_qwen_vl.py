"""Qwen with images: published counts, flat files of old, squares of 28 pixels (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import values_a_token

SEVEN = {
    "hidden_size": 3584,
    "intermediate_size": 18944,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "vocab_size": 152064,
}
FIRST = {
    "depth": 32,
    "embed_dim": 1280,
    "mlp_ratio": 4,
    "num_heads": 16,
    "in_chans": 3,
    "patch_size": 14,
}
SECOND = {
    "depth": 32,
    "hidden_size": 1280,
    "intermediate_size": 3420,
    "num_heads": 16,
    "in_chans": 3,
    "patch_size": 14,
}


def test_qwen2_vl_with_its_keys_at_the_root():
    found = model(
        "qwen2_vl", **SEVEN, vision_config={**FIRST, "hidden_size": 3584}, tie_word_embeddings=False
    )
    assert parameters(found) == 8_291_375_616
    assert (found.images.kind, exact(found.images.patch), exact(found.images.merge)) == (
        "merged",
        14,
        2,
    )
    small = model(
        "qwen2_vl",
        hidden_size=1536,
        intermediate_size=8960,
        num_hidden_layers=28,
        num_attention_heads=12,
        num_key_value_heads=2,
        vocab_size=151936,
        vision_config={**FIRST, "hidden_size": 1536},
        tie_word_embeddings=True,
    )
    assert parameters(small) == 2_208_985_600
    assert small.tied is True


def test_qwen25_vl():
    found = model(
        "qwen2_5_vl", text_config=SEVEN, vision_config={**SECOND, "out_hidden_size": 3584}
    )
    assert parameters(found) == 8_292_166_656
    assert values_a_token(found) == 2 * 28 * 512


def test_qwen3_vl_with_its_early_features():
    text = {
        "hidden_size": 4096,
        "intermediate_size": 12288,
        "num_hidden_layers": 36,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "vocab_size": 151936,
    }
    tower = {"model_type": "qwen3_vl", "out_hidden_size": 4096}
    found = model("qwen3_vl", text_config=text, vision_config=tower, tie_word_embeddings=False)
    assert parameters(found) == 8_767_123_696
    experts = {
        **text,
        "hidden_size": 2048,
        "moe_intermediate_size": 768,
        "num_experts": 128,
        "num_hidden_layers": 48,
        "num_key_value_heads": 4,
    }
    moe = model(
        "qwen3_vl_moe",
        text_config=experts,
        vision_config={"out_hidden_size": 2048},
        tie_word_embeddings=False,
    )
    assert parameters(moe) == 31_070_754_032


def test_qwen35_keeps_states_beside_its_keys():
    found = model("qwen3_5")
    assert {type(cache).__name__ for cache in found.caches} == {"AttentionCache", "StateCache"}
