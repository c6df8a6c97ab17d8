"""DeepSeek V2, V3, V3.2 and decoders with compressed attention (weights-024)."""

import pytest
from families.decoders import exact, model, parameters, values_per_token

from fiche.estimators._elements import elements


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            15_706_484_224,
            "deepseek_v2",
            {
                "hidden_size": 2048,
                "intermediate_size": 10944,
                "moe_intermediate_size": 1408,
                "num_hidden_layers": 27,
                "num_attention_heads": 16,
                "first_k_dense_replace": 1,
                "q_lora_rank": None,
                "vocab_size": 102400,
            },
            id="DeepSeek-V2-Lite",
        ),
        pytest.param(671_026_404_352, "deepseek_v3", {}, id="DeepSeek-V3"),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_the_published_total_of_v3_counts_corrections_of_the_router():
    assert parameters(model("deepseek_v3"), buffers=True) == 671_026_419_200


@pytest.mark.parametrize(
    ("model_type", "layers", "bytes_a_token"),
    [("deepseek_v3", 61, 70_272), ("deepseek_v2", 27, 31_104), ("glm4_moe_lite", 47, 54_144)],
)
def test_a_token_costs_one_latent_vector_a_layer(model_type, layers, bytes_a_token):
    """reference/estimators.md 2.2: no heads, and not twice."""
    found = model(model_type, num_hidden_layers=layers)
    assert 2 * values_per_token(found) == bytes_a_token
    assert {type(cache).__name__ for cache in found.caches} == {"LatentCache"}


def test_expanded_keys_and_values_are_those_of_every_head():
    cache = model("deepseek_v3").caches[0]
    each = exact(cache.heads) * (exact(cache.key_dim) + exact(cache.value_dim))
    assert 2 * 61 * each == 4_997_120


def test_an_indexer_keeps_one_small_key_a_token_and_shared_ones_none():
    found = model("glm_moe_dsa", num_hidden_layers=4, indexer_types=["full", "shared"] * 2)
    widths = {cache.layers: cache.index_dim for cache in found.caches}
    assert exact(widths[(0, 2)]) == 128
    assert widths[(1, 3)] is None


def test_a_layer_of_a_kind_not_known_here_stays_open():
    kinds = ["full_attention", "compressed_sparse_attention"]
    found = model("deepseek_v3", num_hidden_layers=2, layer_types=kinds)
    assert "compressed_sparse_attention" in found.open[0].text
    assert found.caches[0].layers == (0,)


def test_a_block_that_predicts_is_stored_and_not_loaded():
    """Published with DeepSeek-V3: 684,489,830,400 parameters in 16 and 8 bits, 671.03 of them its own."""
    found = model("deepseek_v3", num_nextn_predict_layers=1)
    stored = sum(exact(elements(group)) for group in found.parameters if group.role != "buffer")
    assert stored == 684_489_830_400
    assert parameters(found) == parameters(model("deepseek_v3"))
    assert {group.layers for group in found.parameters if group.part == "prediction"} == {(61,)}


def test_a_file_that_says_nothing_of_such_blocks_has_none():
    assert all(group.loaded for group in model("deepseek_v3").parameters)


KIMI_K2 = {
    "vocab_size": 163840,
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "num_hidden_layers": 61,
    "num_attention_heads": 64,
    "n_routed_experts": 384,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "first_k_dense_replace": 1,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 128,
    "v_head_dim": 128,
    "attention_bias": False,
    "tie_word_embeddings": False,
}


def test_kimi_k2_is_v3_whatever_its_file_calls_it():
    """reference/estimators.md 2.2: 70,272 bytes a token; weights-064 prints 1.027 trillion."""
    found = model("kimi_k2", **KIMI_K2)
    assert found.open == ()
    assert parameters(found) == parameters(model("deepseek_v3", **KIMI_K2)) == 1_026_408_209_408
    assert 2 * values_per_token(found) == 70_272


@pytest.mark.parametrize("key", sorted(KIMI_K2))
def test_a_class_outside_the_library_has_no_defaults(key):
    found = model("kimi_k2", **{name: value for name, value in KIMI_K2.items() if name != key})
    assert found.open
