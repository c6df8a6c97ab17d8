"""Llama's layer under other types: published counts, and what differs by hand (A1)."""

import pytest
from families.decoders import exact, model, parameters

LLAMA = {
    "vocab_size": 100,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "tie_word_embeddings": False,
}
YI = {
    "vocab_size": 64000,
    "hidden_size": 7168,
    "intermediate_size": 20480,
    "num_hidden_layers": 60,
    "num_attention_heads": 56,
    "num_key_value_heads": 8,
    "tie_word_embeddings": False,
}
STABLE = {
    "vocab_size": 50304,
    "hidden_size": 2560,
    "intermediate_size": 6912,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "tie_word_embeddings": False,
}


@pytest.mark.parametrize(
    ("model_type", "values", "published"),
    # Model cards of Yi-34B (weights of its index) and stablelm-3b-4e1t (2,795,443,200 parameters).
    [("Yi", YI, 34_388_917_248), ("stablelm_epoch", STABLE, 2_795_443_200)],
)
def test_parameters_are_those_published(model_type, values, published):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


@pytest.mark.parametrize("model_type", ["aquila", "skywork", "Yi"])
def test_the_same_tensors_as_llama(model_type):
    assert parameters(model(model_type, **LLAMA)) == parameters(model("llama", **LLAMA))


def test_xverse_keeps_a_head_of_keys_for_each_of_queries():
    found = model("xverse", **{**LLAMA, "num_key_value_heads": 1})
    assert exact(found.caches[0].kv_heads) == 8
    assert model("xverse", num_experts=64, **LLAMA).open


def test_orion_has_a_bias_in_each_norm():
    plain, biased = model("llama", **LLAMA), model("orion", **LLAMA)
    assert parameters(biased) - parameters(plain) == (2 * 3 + 1) * 64


def test_telechat_by_hand():
    values = {
        "vocab_size": 100,
        "hidden_size": 64,
        "ffn_hidden_size": 96,
        "n_layer": 3,
        "n_head": 8,
        "tie_word_embeddings": False,
    }
    layer = 4 * 64 * 64 + 64 + 3 * 64 * 96 + 64 + 2 * 64
    found = model("telechat", **values)
    assert found.open == ()
    assert parameters(found) == 2 * 100 * 64 + 64 + 3 * layer
    assert exact(found.caches[0].kv_heads) == 8


@pytest.mark.parametrize("key", LLAMA)
def test_a_key_left_out_is_asked_for(key):
    assert model("aquila", **{name: v for name, v in LLAMA.items() if name != key}).open
